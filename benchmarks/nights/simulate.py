"""Nights simulated: what is told, on which night, of series with and without a step.

The decisions are those of `harness.studies.nightly` and `rulings`: a look at what changed, a second comparison for what
is suspected by it or by the series, the same direction twice; a look that sees no difference makes the night good, one
that cannot tell is made again, seven nights long. What a comparison answers is drawn with the chances that
`harness.studies.redrawn` has for it.
"""

from __future__ import annotations

import itertools
import json
import math
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
from asv.step_detect import detect_regressions, detect_steps

from benchmarks.comparing import cases
from benchmarks.nights.series import KINDS, NIGHTS, SERIES, Values
from harness.statistics import shifts
from harness.statistics.sequential import LEVEL
from harness.studies import redrawn
from harness.studies.night_budget import CONFIRM_LEVEL, LOOK, Asked
from harness.studies.nights import TRIES

KEPT = Path(__file__).parents[2] / "results" / "nightly"
CHANGED = 1.0
"""Share of nights on which something that is tracked changed, and did no harm: the worst there is."""

STEPS = {0.03: 2, 0.01: 7}
"""Steps, and within how many nights they should be told."""

CONFIRM = (300.0, Asked.confirm)
"""Seconds of a comparison that confirms (`--confirm`): half, and as it is."""

AT = 30
"""The night of the step."""

_OTAVA = """
import json, sys
from otava.series import AnalysisOptions, Metric, Series
found = []
for values in json.load(sys.stdin):
    told = None
    for night in range(5, len(values) + 1):
        own = [2.718281828 ** value for value in values[:night]]
        series = Series("t", None, list(range(night)), {"m": Metric(-1, 1.0)}, {"m": own}, {})
        points = series.analyze(AnalysisOptions()).change_points["m"]
        if points:
            told = night - 1
            break
    found.append(told)
json.dump(found, sys.stdout)
"""


@dataclass(frozen=True)
class Simulated:
    """Of one kind of series: alerts that were false, a thousand nights; of a step, the share told in time."""

    kind: str
    case: str
    changed: float
    nights: int
    false_per_1000: float
    suspects_per_night: float
    found: dict[str, float]
    confirm: float


@dataclass(frozen=True)
class Rival:
    """Another tool on the same series, ``nights`` of 40 series each."""

    name: str
    kind: str
    nights: int
    false_per_1000: float
    found: dict[str, float]


class Duets:
    """What comparisons of a job answer where one side is slower by ``effect`` (a logarithm of its rate)."""

    def __init__(self, case: str, asked: Asked) -> None:
        (known,) = [each for each in cases.collected() if each.case == case]
        self._effects = redrawn.centred(*zip(*known.same, strict=True))
        self._asked, self._pair = asked, known.pair_seconds

    @lru_cache  # noqa: B019 (one for each case)
    def answers(self, look: bool, effect: float) -> redrawn.Answers:
        """Of a look, or of the comparison that confirms."""
        seconds = self._asked.confirm * (LOOK if look else 1)
        most, level = max(1, int(seconds / self._pair)), LEVEL if look else CONFIRM_LEVEL
        return redrawn.answers(self._effects, most, self._asked.resolve, -effect, int(look), level)

    def said(self, look: bool, effect: float, random: np.random.Generator) -> str:
        """One of them."""
        each = self.answers(look, effect)
        draw = random.random()
        for word, share in (("slower", each.slower), ("faster", each.faster), ("same", each.same)):
            if draw < share:
                return word
            draw -= share
        return "undecided"


def told_at(
    values: Values, step: float, changed: Sequence[bool], duets: Duets, random: np.random.Generator
) -> list[int]:
    """The nights on which one series alerts; the step is at `AT`. The last entry counts suspicions, negative."""
    alerts, suspects, effect, tries, since = list[int](), 0, 0.0, 0, 0
    for night, value in enumerate(values):
        new = step if night >= AT else 0.0
        moved = new != effect
        differs = bool(changed[night]) or moved or tries > 0
        word = duets.said(True, new - effect, random) if differs else "undecided"
        before = values[since:night]
        odd = shifts.is_unusual(before, value, 0.01)
        direction = "slower" if odd and value > np.median(before) else "faster"
        suspected = word if word in ("slower", "faster") else direction if odd else ""
        suspects += bool(suspected)
        confirmed = suspected and differs and duets.said(False, new - effect, random) == suspected
        if confirmed:
            alerts.append(night)
            effect, tries, since = new, 0, night  # it is accepted or mended
        elif differs and word != "same" and tries + 1 < TRIES:
            tries += 1
        else:
            effect, tries = (new if differs else effect), 0
    return [*alerts, -suspects]


def ours(kind: str, case: str, changed: float, histories: int, confirm: float) -> Simulated:
    """So many histories of 60 nights and 40 series without a step, and a quarter as many with each step."""
    random = np.random.default_rng(sum(map(ord, kind + case)))
    duets, false, suspects = Duets(case, Asked(confirm=confirm)), 0, 0
    for _ in range(histories):
        for _ in range(SERIES):
            *alerts, count = told_at(KINDS[kind](random), 0.0, random.random(NIGHTS) < changed, duets, random)
            false, suspects = false + len(alerts), suspects - count
    found = {}
    for step, within in STEPS.items():
        hits, series = 0, max(1, histories // 4) * SERIES
        for _ in range(series):
            values = _stepped(KINDS[kind](random), step)
            *alerts, _ = told_at(values, step, random.random(NIGHTS) < changed, duets, random)
            hits += any(AT <= night < AT + within for night in alerts)
        found[f"{step:.0%}"] = hits / series
    nights = histories * NIGHTS
    return Simulated(kind, case, changed, nights, 1000 * false / nights, suspects / nights, found, confirm)


def _stepped(values: Values, step: float) -> Values:
    return values + np.where(np.arange(NIGHTS) >= AT, math.log1p(step), 0.0)


def rivals(kind: str, histories: int, otava: str) -> Iterator[Rival]:
    """asv's page of regressions and, where an interpreter has it, Otava, as they come, on every night."""
    random = np.random.default_rng(sum(map(ord, kind)))
    flat = [KINDS[kind](random) for _ in range(histories * SERIES)]
    stepped = {step: [_stepped(KINDS[kind](random), step) for _ in range(histories * SERIES)] for step in STEPS}
    tools = {"asv": _asv} | ({"Otava": lambda each: _otava(each, otava)} if otava else {})
    for name, tool in tools.items():
        false = sum(night is not None for night in tool(flat))
        found = {
            f"{step:.0%}": sum(night is not None and AT <= night < AT + within for night in tool(stepped[step]))
            / len(flat)
            for step, within in STEPS.items()
        }
        nights = histories * NIGHTS
        yield Rival(name, kind, nights, 1000 * false / nights, found)


def _asv(series: Sequence[Values]) -> list[int | None]:
    """The first night on which its page shows a regression of more than 5 %, its own threshold."""
    return [next(filter(lambda night: _regressed(values[: night + 1]), range(4, NIGHTS)), None) for values in series]


def _regressed(values: Values) -> bool:
    steps = detect_steps([math.exp(value) for value in values], None)
    return detect_regressions(steps, threshold=0.05)[2] is not None


def _otava(series: Sequence[Values], python: str) -> list[int | None]:
    done = subprocess.run(
        [python, "-c", _OTAVA],
        input=json.dumps([list(values) for values in series]),
        capture_output=True,
        text=True,
        check=True,
    )
    found: list[int | None] = json.loads(done.stdout)
    return found


def run(histories: int, rival_histories: int, otava: str) -> None:
    """All of it, kept."""
    mine = []
    for case in cases.NAMES:
        for kind, confirm in itertools.product(KINDS, CONFIRM):
            mine.append(ours(kind, case, CHANGED, histories, confirm))
            sys.stderr.write(f"{mine[-1]}\n")
    others = [rival for kind in KINDS for rival in rivals(kind, rival_histories, otava)]
    for each in others:
        sys.stderr.write(f"{each}\n")
    KEPT.mkdir(parents=True, exist_ok=True)
    body = {"ours": [asdict(each) for each in mine], "rivals": [asdict(each) for each in others]}
    (KEPT / "simulated.json").write_text(json.dumps(body, indent=1) + "\n")
