"""Median and its confidence interval, without assuming a distribution or that neighbours have nothing in common."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from harness.statistics.comparison import CONFIDENT, MIN_SAMPLES

_TOO_FEW, _FEWEST = "too few for an interval", 11
"""Of fewer nobody knows how alike neighbours are well enough: whatever they are, they are not worth `MIN_SAMPLES`."""


@dataclass(frozen=True)
class Summary:
    """``low`` and ``high`` hold the median with 95 % confidence; None where nobody can say, ``note`` tells why."""

    n: int
    median: float
    low: float | None = None
    high: float | None = None
    note: str = ""


def summarize(samples: Sequence[float]) -> Summary:
    """Median of a series in order of time, and its interval; ValueError without samples.

    The interval is that of the sign test, from order statistics, with as many samples as the series is worth
    (`harness.statistics.dependence`) and Student's t for how little those say; or of the means of five blocks, where
    that is wider.
    """
    if not samples:
        raise ValueError("no samples")
    n, middle = len(samples), median(samples)
    if n < MIN_SAMPLES:
        return Summary(n, middle, note=_TOO_FEW)
    if not all(map(math.isfinite, samples)):
        return Summary(n, middle, note="some are not finite")
    ordered = sorted(samples)
    if ordered[0] == ordered[-1]:
        return Summary(n, middle, middle, middle)
    size, rank = _rank(samples)
    if size < MIN_SAMPLES:
        alike = f"too alike for an interval ({n} are worth {size:.2g})"
        return Summary(n, middle, note=alike if n >= _FEWEST else _TOO_FEW)
    if rank < 0:
        return Summary(n, middle, note="its fifths differ too much for an interval")
    return Summary(n, middle, ordered[rank], ordered[-1 - rank])


def loosely(samples: Sequence[float]) -> tuple[float, float]:
    """Where a median lies if neighbours had nothing in common, and the middle half at least; of 6 samples or more."""
    from scipy.special import stdtrit  # a tenth of a second that only judging pays

    n, ordered = len(samples), sorted(samples)
    rank = max(0, math.floor(n / 2 - float(stdtrit(n - 1, CONFIDENT)) / 2 * math.sqrt(n)))
    return min(ordered[rank], quantile(samples, 0.25)), max(ordered[-1 - rank], quantile(samples, 0.75))


def quantile(samples: Sequence[float], fraction: float) -> float:
    """Linear interpolation between order statistics (type 7 of Hyndman and Fan, 1996)."""
    ordered = sorted(samples)
    position = fraction * (len(ordered) - 1)
    below = math.floor(position)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (position - below) * (ordered[above] - ordered[below])


def _rank(samples: Sequence[float]) -> tuple[float, int]:
    """What the series is worth, and how many values lie outside the interval on each side; below 0 without bounds."""
    import numpy as np  # a tenth of a second that only judging pays
    from scipy.special import stdtrit

    from harness.statistics.dependence import BLOCKS, block_inflation, effective_size

    values, n = np.asarray(samples, float), len(samples)
    size = effective_size(values)
    if size < MIN_SAMPLES:
        return size, -1
    half = float(stdtrit(size - 1, CONFIDENT)) / 2 * n / math.sqrt(size)
    if n >= 2 * BLOCKS:
        half = max(half, float(stdtrit(BLOCKS - 1, CONFIDENT)) / 2 * math.sqrt(n * block_inflation(values)))
    return size, math.floor(n / 2 - half)
