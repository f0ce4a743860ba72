"""What was collected, as Markdown: how often each tool sees what is there, and what is not."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from statistics import fmean, stdev

from scipy.stats import f_oneway

from benchmarks.comparing import cases, rivals
from benchmarks.comparing.cases import Collected
from harness.studies.calibrate import BEFORE
from harness.studies.redrawn import DRAWN, answers, centred

QUESTIONS = ((0.02, 3), (0.01, 5), (0.005, 10))
"""Planted changes, and within how many minutes they are to be found."""

ASV = f"`asv continuous --factor {rivals.FACTOR}`"
HEAD = (
    "| tool | " + " | ".join(f"{planted:.1%} in {minutes} min" for planted, minutes in QUESTIONS) + " | false alarms |"
)


def text() -> str:
    """Every case, then the whole comparisons."""
    return "\n".join([*(line for found in cases.collected() for line in _case(found)), *_whole(), ""])


def _case(found: Collected) -> Iterator[str]:
    yield f"### {found.case}\n"
    same, slower = ([effect for effect, _ in each] for each in (found.same, found.planted))
    mean = f"mean {fmean(same):+.2%} ± {1.96 * stdev(same) / math.sqrt(len(same)):.2%}"
    noise = f"{len(same)} pairs of {found.pair_seconds:.0f} s, scatter {stdev(same):.2%}, {mean}"
    planted = f"{len(slower)} planted ones {fmean(slower):+.2%} for {found.planted_asked:+.2%}"
    yield f"{noise}; {planted}; {len(found.runs)} single runs of {found.run_seconds:.0f} s\n"
    yield HEAD
    yield "|---" * (len(QUESTIONS) + 2) + "|"
    yield _row(f"`harness compare` ({DRAWN} drawn)", *_ours(found))
    for name, seen, alarms in _rivals(found):
        yield _row(name, seen, alarms)
    yield ""


def _ours(found: Collected) -> tuple[list[float], float]:
    """Drawn from the effects of alike pairs as they are, and those of planted ones around their mean; alarms from alike
    ones around their mean, which is told above: of so few it is never 0. Time of some pairs is spent on meaning.
    """
    seen, alarms = [], []
    less = centred(*zip(*found.planted, strict=True))
    for planted, minutes in QUESTIONS:
        most = int(60 * minutes / found.pair_seconds) - BEFORE
        seen.append(answers([*found.same, *less], most, planted, -math.log1p(planted)).slower)
        none = answers(centred(*zip(*found.same, strict=True)), most, planted)
        alarms.append(none.faster + none.slower)
    return seen, max(alarms)


def _rivals(found: Collected) -> Iterator[tuple[str, list[float], float]]:
    each = [max(1, int(60 * minutes / found.run_seconds / 2)) for _, minutes in QUESTIONS]
    steps = min(map(len, found.runs))
    kinds = {
        f"{ASV}, else as it comes (2 rounds of 5)": lambda _, k: rivals.asv(found.runs, 2, 5, k),
        f"{ASV}, rounds for all of the time": lambda many, k: rivals.asv(found.runs, many, steps, k),
        "`pyperf compare_to`, as it comes (20 processes)": lambda _, k: rivals.pyperf(found.runs, 20, k),
        "`pyperf compare_to`, processes for all of the time": lambda many, k: rivals.pyperf(found.runs, many, k),
    }
    for name, judge in kinds.items():
        seen = [_share(judge(many, planted), {"slower"}) for many, (planted, _) in zip(each, QUESTIONS, strict=True)]
        alarms = [_share(judge(many, 0.0), {"slower", "faster"}) for many in each]
        yield name, seen, max((share for share in alarms if not math.isnan(share)), default=math.nan)


def _share(answers_: Iterable[str], words: set[str]) -> float:
    counts = Counter(answers_)
    return sum(counts[word] for word in words) / counts.total() if counts else math.nan


def _row(name: str, seen: list[float], alarms: float) -> str:
    return f"| {name} | " + " | ".join("–" if math.isnan(each) else f"{each:.1%}" for each in (*seen, alarms)) + " |"


def _whole() -> Iterator[str]:
    every = cases.whole()
    for case, planted in sorted({(each.case, each.planted) for each in every}):
        own = [each for each in every if (each.case, each.planted) == (case, planted)]
        told = ", ".join(f"{count} {word}" for word, count in Counter(each.answer for each in own).most_common())
        alike = "" if planted else _independent([[effect for effect, _ in each.effects] for each in own])
        yield f"- {case}, {planted:.1%} planted: {len(own)} comparisons from the command line: {told}{alike}"


def _independent(comparisons: Sequence[Sequence[float]]) -> str:
    """Whether pairs of one comparison are as unlike as those of different ones, on which intervals rest; by Fisher's F.

    What is the same in all pairs of a comparison, and luck, would pass for an effect.
    """
    groups = [each for each in comparisons if len(each) > 1]
    if len(groups) < 2:
        return ""
    found = f_oneway(*groups)
    told = f"F = {found.statistic:.1f}, p = {found.pvalue:.2g}, {len(groups)} comparisons"
    word = "more alike than" if found.pvalue < 0.01 else "as unlike as"
    return f"; pairs of one are {word} those of different ones ({told})"
