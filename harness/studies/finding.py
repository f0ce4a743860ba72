"""What one side is beside another: the answer, its numbers, and both in words."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from harness.base.errors import InputError
from harness.statistics.sequential import LEVEL, Sequential
from harness.studies.compared import MEASURES, STARTS, Compared

SIZES = (0.001, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2)
"""Of differences, for which it is told how many seeds they need."""

BEYOND, MOST = "beyond", 9.0
"""Ten times as much and more is not told by its digits."""

_ENDLESS = 700.0
"""A logarithm of which no number is left."""

MOST_RESOLVED = 0.5
"""Where half of an effect is what counts as the same: twice as slow never is."""

Word = Literal["same", "undecided", "faster", "slower", "less", "more", "better", "worse"]


@dataclass(frozen=True)
class Question:
    """What is asked: which measure, how finely, within how many seconds of runs, side by side or apart.

    ``resolve`` None: 1 %, or of drift half of what seeds differ by. ``seeds``: the least of them, of drift. ``level``:
    the chance that sides which are alike are said to differ. ``limit``: seconds until which it goes on beyond the
    budget, as long as the pairs that an answer still takes fit. ``of_meaning``: what sides compute is all
    that is asked; once they differ in short runs no pair is made. ``beyond``: that a side is worse is no answer before
    all of the interval is worse by more than what counts as the same. ``of_starts``: how long a start takes is asked,
    too, so that each is as in production; else of few pairs only.
    """

    measure: str = "throughput"
    resolve: float | None = None
    budget: float = 300.0
    apart: bool = False
    seeds: int = 8
    level: float = LEVEL
    limit: float = 0.0
    of_meaning: bool = False
    beyond: bool = False
    of_starts: bool = False

    def __post_init__(self) -> None:
        """InputError for what nothing can be made of, as in a damaged file."""
        if self.measure not in MEASURES:
            raise InputError(f"{self.measure!r} is not a measure; there are {', '.join(MEASURES)}")
        if self.resolve is not None and not 0 < self.resolve < 1:
            why = "anything would be the same" if self.resolve >= 1 else "nothing would be"
            raise InputError(f"resolve {self.resolve:.0%}: {why}; give more than 0% and less than 100%")
        if not (0 < self.budget < math.inf and self.seeds > 0 and 0 < self.level < 1):
            raise InputError("budget, seeds and level are numbers above 0")

    @property
    def asks_of_starts(self) -> bool:
        """Whether how long a start takes decides, or is asked, too."""
        return self.of_starts or self.measure == STARTS

    @property
    def compared(self) -> Compared:
        """The measure that decides."""
        return MEASURES[self.measure]


@dataclass(frozen=True)
class Finding:
    """How one side compares with the first by one measure, so far; ``mean`` is None before there are values.

    ``more``: how many pairs a decision would take in all, at this scatter; None where nobody can say. ``soonest``: how
    few it may take, as the estimate is of chance, too. ``missing``: pairs that count and have no such number; while
    there are any, nothing is decided.
    """

    measure: str
    side: str
    word: Word
    mean: Sequential | None
    more: int | None = None
    missing: int = 0
    soonest: int | None = None


@dataclass(frozen=True)
class Margin:
    """Effects that count as the same: logarithms of ratios, or differences."""

    low: float
    high: float

    @classmethod
    def relative(cls, change: float) -> Margin:
        """From so much less to so much more of a quantity."""
        return cls(math.log1p(-change) if change < 1 else -math.inf, math.log1p(change))

    @classmethod
    def around(cls, half: float) -> Margin:
        """So far from none, either way."""
        return cls(-half, half)


def is_decided(finding: Finding) -> bool:
    """Whether it is an answer."""
    return finding.word != "undecided"


def word_of(measure: Compared, mean: Sequential, margin: Margin | None, beyond: bool = False) -> Word:
    """Same, where the whole interval lies within the margin; else by which side of no effect it lies on.

    With ``beyond`` it is worse only where all of it lies outside of the margin, too.
    """
    if margin is not None and margin.low <= mean.low and mean.high <= margin.high:
        return "same"
    if mean.low <= 0 <= mean.high:
        return "undecided"
    if (mean.estimate < 0) == measure.lower_is_better:
        return measure.better  # type: ignore[return-value]
    return "undecided" if beyond and not is_beyond(mean, margin) else measure.worse  # type: ignore[return-value]


def is_beyond(mean: Sequential, margin: Margin | None) -> bool:
    """Whether all of an interval lies on one side of what counts as the same."""
    return margin is not None and (mean.low > margin.high or mean.high < margin.low)


def pairs_needed(measure: Compared, mean: Sequential, margin: Margin | None, beyond: bool = False) -> int | None:
    """Pairs in all until `word_of` would have an answer, at this estimate."""
    room = min(margin.high - mean.estimate, mean.estimate - margin.low) if margin is not None else 0.0
    worse = (mean.estimate < 0) != measure.lower_is_better
    half = abs(room) if beyond and worse and margin is not None else max(abs(mean.estimate), room)
    return mean.needed(half) if half > 0 else None


def undecided(measure: str, side: str, mean: Sequential, margin: Margin | None, beyond: bool = False) -> Finding:
    """No answer yet, and how many pairs one takes."""
    more, lucky = (needed(MEASURES[measure], mean, margin, beyond) for needed in (pairs_needed, _pairs_by_luck))
    soonest = min((each for each in (more, lucky) if each is not None), default=None)
    return Finding(measure, side, "undecided", mean, more, soonest=soonest)


def _pairs_by_luck(measure: Compared, mean: Sequential, margin: Margin | None, beyond: bool = False) -> int | None:
    """The same where luck was bad so far: the truth is farther from the margin's end by a standard error."""
    error, size = mean.sd / math.sqrt(mean.looked or mean.n), abs(mean.estimate)
    inside = margin is not None and margin.low <= mean.estimate <= margin.high
    truth = math.copysign(max(0.0, size - error) if inside else size + error, mean.estimate)
    return pairs_needed(measure, replace(mean, estimate=truth), margin, beyond)


def sentence(finding: Finding) -> str:
    """A finding in words: ``b is slower: -1.9 % throughput (-2.5 % to -1.3 %; 12 pairs)``."""
    measure, mean = MEASURES[finding.measure], finding.mean
    if mean is None:
        return f"{finding.side}: {measure.name} was not measured"
    of = f"{mean.looked} of " if 0 < mean.looked < mean.n else ""
    count = f"{of}{measure.counted(mean.n)}"
    count += f", {finding.missing} more have no number" if finding.missing else ""
    return f"{finding.side} is {finding.word}: {estimate(finding)} {measure.name} ({interval(finding)}; {count})"


def wanting(finding: Finding, pairs: int | None) -> str:
    """So many values would decide, behind a sentence; "" where nobody can say."""
    return "" if pairs is None else f"; about {MEASURES[finding.measure].counted(pairs)} would decide"


def estimate(finding: Finding) -> str:
    """The effect, as a change of so many percent, or a difference."""
    return "unknown" if finding.mean is None else _effect(finding, finding.mean.estimate)


def interval(finding: Finding) -> str:
    """Where the effect lies."""
    if finding.mean is None or math.isinf(finding.mean.half):
        return "no interval yet"
    return f"{_effect(finding, finding.mean.low)} to {_effect(finding, finding.mean.high)}"


def detectable(finding: Finding) -> str:
    """The smallest effect that would have shown in four of five tries."""
    if finding.mean is None or math.isinf(finding.mean.detectable):
        return "unknown yet"
    found = _effect(finding, finding.mean.detectable)
    return f"{BEYOND} ±{MOST:.0%}" if found.startswith(BEYOND) else f"±{found.lstrip('+')}"


def seeds_needed(finding: Finding) -> str:
    """How many values differences of several sizes would need: ``1% 61, 2% 20``, of accuracy ``0.01 61, 0.02 20``.

    Empty where nobody can say.
    """
    mean, absolute = finding.mean, MEASURES[finding.measure].absolute
    if mean is None or not 0 < mean.sd < math.inf:
        return ""
    counts = ((size, mean.needed_to_show(size if absolute else math.log1p(size))) for size in SIZES)
    written = ((f"{size:g}" if absolute else f"{100 * size:g}%", count) for size, count in counts)
    return ", ".join(f"{size} {count}" for size, count in written if count is not None)


def margin_in_words(margin: Margin, measure: str) -> str:
    """``-0.99% to +1.00%``."""
    ends = Finding(measure, "", "same", None)
    return f"{_effect(ends, margin.low)} to {_effect(ends, margin.high)}"


def at_worst(finding: Finding) -> float | None:
    """How much worse it may be, by all of its interval, as a fraction; None for a difference, or without an end."""
    measure, mean = MEASURES[finding.measure], finding.mean
    if mean is None or measure.absolute:
        return None
    if not measure.lower_is_better:
        return -math.expm1(mean.low)
    return math.expm1(mean.high) if mean.high < _ENDLESS else None


def _effect(finding: Finding, value: float) -> str:
    """A logarithm as a change: 0.01 is +1.01%."""
    if MEASURES[finding.measure].absolute:
        return f"{value:+.3g}"
    return f"{math.expm1(value):+.2%}" if value < math.log1p(MOST) else f"{BEYOND} {MOST:+.0%}"


def as_json(finding: Finding) -> Mapping[str, Any]:
    """For scripts; numbers are logarithms of ratios, or differences, and null where nobody can say."""
    mean, names = finding.mean, ("n", "looked", "estimate", "low", "high", "sd", "detectable")
    numbers = {} if mean is None else {name: _finite(getattr(mean, name)) for name in names}
    return {
        "side": finding.side,
        "measure": finding.measure,
        "answer": finding.word,
        "missing": finding.missing,
        **numbers,
    }


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None
