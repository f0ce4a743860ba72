"""A calibration as text."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from statistics import fmean, median

from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from harness.studies.calibrate import DRAWN_FROM, LEAST_DUETS, LEAST_RUNS, MINUTES, Calibrate
from harness.studies.pairs import counted
from harness.studies.redrawn import DRAWN

_BY_CHANCE = 0.003
"""What is rarer, of calibrations as they should be, chance hardly explains."""

_SHORT = "; more --runs tell what hours do"


def render(study: Calibrate) -> RenderableType:
    """Noise, what comparisons would see in a given time, and what they would answer."""
    return Group(Text(str(study.scenario.values["title"]), "bold"), *_runs(study), *_duets(study), *_failures(study))


def _runs(study: Calibrate) -> Iterator[Text]:
    between = study.between_runs
    if between is None:
        yield Text(f"{len(study.rates)} runs; {LEAST_RUNS} are needed to tell what differs from run to run", "yellow")
        return
    yield Text(f"medians of {between['n']} runs differ by {between['sd']:.1%} (standard deviation; at most")
    yield Text(f"{between['upper']:.1%} with 90 % confidence, which later verdicts here take)")
    yield Text(f"windows of one run differ by {median(study.within):.1%}")
    if (known := study.over_time) is not None:
        yield Text(_over_time(known))
    if 2 * study.disturbed > len(study.rates):
        yield Text(f"{study.disturbed} of {len(study.rates)} runs were disturbed by others{_again(study)}", "yellow")


def _over_time(known: Mapping[str, float | None]) -> str:
    near, slow, hours = known["neighbours"] or 0.0, known["slow"], known["hours"] or 0.0
    span = f"{hours:.1f} hours" if hours >= 1 else f"{60 * hours:.0f} minutes"
    none = "nothing changed slowly that chance does not explain"
    told = none if slow is None else f"they also changed slowly, by {slow:.1%}"
    return f"neighbouring runs differ by {near:.1%}; over {span} {told}{_SHORT if hours < 1 else ''}"


def _duets(study: Calibrate) -> Iterator[RenderableType]:
    found = study.summary()["duets"]
    if "same" not in found:
        few = f"{found['n']} duets, of which {len(counted(study.pairs))} count, tell nothing of comparisons"
        yield Text(f"{few}: it takes {LEAST_DUETS} that count, and more where the machine is busy (--duets)", "yellow")
        return
    same, planted = found["same"], found["planted"]
    disturbed = f"{found['disturbed']} of all {len(study.pairs)} were disturbed"
    yield Text(f"{found['n']} duets of {found['seconds_each']:.0f} s count; {disturbed}")
    within = f"; turns of one by {median(study.turns):.1%}" if study.turns else ""
    yield Text(f"the same beside the same: {_change(same['mean'])}; duets scatter by {same['sd']:.2%}{within}")
    seen, asked = _change(fmean(planted["effects"])), _change(planted["asked"])
    told = f"beside one that was made {study.resolve:.1%} slower, which costs {asked} of throughput: {seen} was seen"
    yield Text(f"{told}; they scatter by {planted['sd']:.2%}")
    if _is_other_than_planted(same["effects"], planted["effects"], planted["asked"]):
        told = "what was planted is not what was seen: trust nothing that is said of comparisons, and calibrate again"
        yield Text(told, "bold red")
    if _is_shifted(same["effects"]):
        told = "what is the same does not come out the same: trust nothing that is said of comparisons"
        yield Text(told, "bold red")
    if 2 * found["disturbed"] > len(study.pairs):
        yield Text(f"most were disturbed by others{_again(study)}", "yellow")
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for column in ("minutes", "detectable", "false alarms", f"planted {study.resolve:.1%} found"):
        table.add_column(column)
    for minutes in MINUTES:
        drawn, seen = found["answers"][str(minutes)], found["detectable"][str(minutes)]
        shares = [drawn["same"]["faster"] + drawn["same"]["slower"], drawn["planted"]["slower"]] if drawn else []
        cells = ["–" if seen is None else f"{seen:.2%}", *(f"{share:.1%}" for share in shares)]
        table.add_row(str(minutes), *cells)
    yield table
    few = f"{DRAWN_FROM} duets are needed to draw comparisons anew from them"
    told = f"false alarms and found: of {DRAWN} comparisons drawn anew from how these duets scatter around their mean"
    yield Text(told if found["answers"]["1"] else few, "dim")


def _is_other_than_planted(same: Sequence[float], planted: Sequence[float], asked: float) -> bool:
    """By the test of Welch (1947): a dozen duets have three planted ones, and hardly know how these scatter."""
    from scipy.stats import ttest_ind

    found = ttest_ind([effect - asked for effect in planted], same, equal_var=False)
    return bool(found.pvalue < _BY_CHANCE)


def _is_shifted(same: Sequence[float]) -> bool:
    """By the test of Student (1908), whether the mean is beyond chance: what is drawn anew has none."""
    from scipy.stats import ttest_1samp

    return bool(ttest_1samp(same, 0.0).pvalue < _BY_CHANCE)


def _again(study: Calibrate) -> str:
    where = "" if study.folder is None else f", and remove {study.folder.path}"
    return f": calibrate again when the machine is quiet{where}"


def _change(effect: float) -> str:
    return f"{math.expm1(effect):+.2%}"


def _failures(study: Calibrate) -> Iterator[Text]:
    for failure in study.failures:
        yield Text(f"failed: {failure}", "yellow")
