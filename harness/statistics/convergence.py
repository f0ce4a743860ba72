"""MLPerf's rule: does one side take fewer steps to a loss than another? Beside our own interval, for who knows it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, pstdev

LEVEL = 0.05
MIN_VALUES = 4
"""Of which two are left after the fastest and the slowest are gone."""


@dataclass(frozen=True)
class Convergence:
    """Olympic means of both sides, and how likely less, or more, were by chance if both took the same."""

    first: float
    other: float
    fewer: float
    more: float

    @property
    def word(self) -> str:
        """``fewer`` or ``more`` steps of the other side, or ``neither``."""
        return "fewer" if self.fewer <= LEVEL else "more" if self.more <= LEVEL else "neither"


def compare(first: Sequence[float], other: Sequence[float]) -> Convergence | None:
    """Of the steps that each seed took; None below four seeds a side.

    The reference convergence points of MLPerf (mlcommons/logging, rcp_checker.py): means without the fastest and the
    slowest, the deviation of all, a pooled one-sided t-test that counts two values less.
    """
    if min(len(first), len(other)) < MIN_VALUES:
        return None
    one, two = _olympic(first), _olympic(other)
    error = math.sqrt(_pooled(first, other) * (1 / (len(first) - 2) + 1 / (len(other) - 2)))
    if error == 0:
        return Convergence(one, two, float(two >= one), float(two <= one))
    from scipy.special import stdtr

    below = float(stdtr(len(first) + len(other) - 6, (two - one) / error))
    return Convergence(one, two, below, 1 - below)


def _olympic(values: Sequence[float]) -> float:
    return fmean(sorted(values)[1:-1])


def _pooled(first: Sequence[float], other: Sequence[float]) -> float:
    """Variance within both."""
    each = [(len(values) - 3, pstdev(values) ** 2) for values in (first, other)]
    return sum(freedom * variance for freedom, variance in each) / sum(freedom for freedom, _ in each)
