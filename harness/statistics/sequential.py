"""The mean of values that come one by one, with an interval that holds at every look.

Repeated confidence intervals (Jennison and Turnbull, 1989, JRSS B 51): Student's t at each look, with bounds that
together are crossed with a chance of ``level``. How much of it a look may spend follows from the part of the budget
that is spent by then (Lan and DeMets, 1983, Biometrika 70; the power family of Kim and DeMets, 1987, Biometrika 74), in
quarters of it: one may look as often as one likes, and what each look costs is paid four times. Bounds come from
simulated sequences, since values are few: no package for Python has them for Student's t. A mixture of t-tests (Lai,
1976), which knows of no budget, is a quarter wider at its end, and wider at each look before.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from statistics import NormalDist, mean, stdev
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

LEVEL = 0.01
"""Chance that any look at two sides that are alike says they differ."""

IN_TIME, POWER = 0.9, 4.0
"""Share of the level that is spent within the budget, and how late: most at its end, as by O'Brien and Fleming (3).

Early looks cost what they do not give: bounds of a few values are wide anyway, by Student's t.
"""

IN_BUDGET = 4
"""How often something is spent within a budget. A bound after each value takes a tenth more (of 20 or 60)."""

MIN_VALUES = 4
_LAST = 0.75
"""Share of the level at which the last look within a budget stands by itself (of 6 to 80 values 0.72 to 0.78)."""

_PATHS, _DEEP = 200_000, 100
_LUCK = NormalDist().inv_cdf(0.8)
MOST = 10_000
"""Values: what takes more is not said to be within reach."""


@dataclass(frozen=True)
class Look:
    """After how many values, and what share of the level may have been spent by then."""

    n: int
    share: float


@dataclass(frozen=True)
class Sequential:
    """Mean of ``n`` values, the half-width of its interval (infinite while nobody can say), and their deviation."""

    n: int
    estimate: float
    half: float
    sd: float
    level: float = LEVEL
    looked: int = 0
    """Of the values, those that the last look took; the estimate and the interval are theirs. 0 before there is one."""

    @property
    def low(self) -> float:
        """The lower end of the interval."""
        return self.estimate - self.half

    @property
    def high(self) -> float:
        """The upper end of the interval."""
        return self.estimate + self.half

    @property
    def detectable(self) -> float:
        """The smallest effect that so many values would have shown in four of five tries."""
        return (self.half + _luck(self.n, self.sd)) * caution(self.n)

    def needed(self, half: float) -> int | None:
        """How many values in all an interval of that half-width takes; None for more than ten thousand."""
        sd = self.sd * caution(self.n)
        least = self.n if self.sd or not self.estimate else max(self.n, enough_alike(self.level))
        return _first(least, lambda n: half_width(n, sd, self.level) <= half)

    def needed_to_show(self, effect: float) -> int | None:
        """How many values it takes to show an effect in four of five tries; None for more than ten thousand."""
        sd = self.sd * caution(self.n)
        return _first(0, lambda n: shown(n, sd, self.level) <= effect)


def enough_alike(level: float) -> int:
    """So many values that are all the same tell that they always are: of two that are as likely each, chance makes
    fewer of them.
    """
    return math.ceil(math.log2(2 / level))


def share(spent: float) -> float:
    """Of the level, after so much of the budget: it grows with each quarter of it, then whenever half as much again is
    there, about. What is left is for who goes on beyond it, however long.
    """
    if spent < 1:
        return float(IN_TIME * (math.floor(IN_BUDGET * spent) / IN_BUDGET) ** POWER)
    return float(1 - (1 - IN_TIME) / 2 ** (math.floor(2 * math.log2(spent)) / 2))


def sequential(values: Sequence[float], looks: Sequence[Look], level: float = LEVEL) -> Sequential:
    """The mean so far, and its interval by the last look that had something to spend; ValueError without values.

    Few values that are all the same have none, but for those that are nothing: what comes in steps may be so by chance.
    """
    if not values:
        raise ValueError("no values")
    sd = stdev(values) if len(values) > 1 else math.inf
    bounds = zip(looks, critical(tuple(looks), level), strict=True)
    usable = [(look.n, bound) for look, bound in bounds if look.n <= len(values) and bound < math.inf]
    if not usable:
        return Sequential(len(values), mean(values), math.inf, sd, level)
    last, bound = usable[-1]
    then = values[:last]
    if then[0] and len({*then}) == 1 and last < enough_alike(level):
        return Sequential(len(values), mean(values), math.inf, sd, level)
    return Sequential(len(values), mean(then), bound * stdev(then) / math.sqrt(last), sd, level, last)


@lru_cache(maxsize=1024)
def critical(looks: tuple[Look, ...], level: float = LEVEL) -> tuple[float, ...]:
    """By how many standard errors a mean may be off at each look: |t| of sequences that no look before saw cross.

    Infinite before there are values enough, and where nothing is left to spend. The chance of all looks together is
    exact for normal values, but for the number of sequences: 2 % of itself at 1 %, and 7 % at a tenth of that.
    """
    for end in range(_DEEP, len(looks), _DEEP):
        _simulated(looks[:end], level)
    return _simulated(looks, level).bounds


@dataclass(frozen=True)
class _Simulated:
    """Sequences after ``n`` values: their sums, and of squares, and which have not crossed a bound of any look."""

    n: int
    sums: NDArray[np.float64]
    squares: NDArray[np.float64]
    inside: NDArray[np.bool_]
    bounds: tuple[float, ...] = ()


@lru_cache(maxsize=16)
def _simulated(looks: tuple[Look, ...], level: float) -> _Simulated:
    """Up to the last look that had something to spend; going on from one look less, which is often known."""
    import numpy as np

    if not looks:
        return _Simulated(0, np.zeros(_PATHS), np.zeros(_PATHS), np.ones(_PATHS, bool))
    before, look = _simulated(looks[:-1], level), looks[-1]
    staying = _PATHS - round(level * look.share * _PATHS)
    if look.n < MIN_VALUES or staying >= np.count_nonzero(before.inside):
        return replace(before, bounds=(*before.bounds, math.inf))
    sums, squares = _after(before, look.n)
    t = np.abs(sums) / np.sqrt((squares - sums**2 / look.n) / (look.n - 1) * look.n)
    bound = float(np.partition(t[before.inside], staying)[staying])
    return _Simulated(look.n, sums, squares, before.inside & (t < bound), (*before.bounds, bound))


def _after(before: _Simulated, n: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Sums, and of squares, of ``n`` values; all that are new are drawn at once.

    Of ``m`` normal values the squares around their mean do not depend on it, and have chi-squared's distribution with
    ``m - 1`` degrees of freedom.
    """
    import numpy as np

    more, draw = n - before.n, np.random.default_rng(n)
    if more == 0:
        return before.sums, before.squares
    means = draw.standard_normal(_PATHS) / math.sqrt(more)
    around = draw.chisquare(more - 1, _PATHS) if more > 1 else 0.0
    return before.sums + more * means, before.squares + more * means**2 + around


def half_width(n: int, sd: float, level: float = LEVEL) -> float:
    """Of the interval after ``n`` values at the end of a budget, where every value was looked at; for planning."""
    if n < MIN_VALUES:
        return math.inf
    from scipy.special import stdtrit

    return float(stdtrit(n - 1, 1 - _LAST * level / 2)) * sd / math.sqrt(n)


def shown(n: int, sd: float, level: float = LEVEL) -> float:
    """The smallest effect that so many values, at the end of a budget, show in four of five tries."""
    return half_width(n, sd, level) + _luck(n, sd)


def _luck(n: int, sd: float) -> float:
    """By which a mean of ``n`` values falls short of the truth in one of five tries."""
    return _LUCK * sd / math.sqrt(n)


def caution(n: int) -> float:
    """By how much the deviation of few normal values may be larger than it looks: its upper bound with 80 %."""
    if n < 2:
        return math.inf
    from scipy.special import chdtri

    return math.sqrt((n - 1) / float(chdtri(n - 1, 0.8)))


def _first(least: int, enough: Callable[[int], bool]) -> int | None:
    """The first number of values that is enough; what is enough stays so."""
    least = max(least, MIN_VALUES)
    found = bisect_left(range(least, MOST + 1), True, key=enough) + least
    return found if found <= MOST else None
