"""Slope of a series that may hold outliers."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from scipy.special import stdtrit

from harness.statistics.comparison import CONFIDENT, MIN_POINTS, MIN_SAMPLES
from harness.statistics.dependence import Values, block_inflation, effective_size
from harness.statistics.summary import Summary

MAX_POINTS = 200
_BLOCKS = (5, 8, 12, 16)


def slope(xs: Sequence[float], ys: Sequence[float]) -> Summary | None:
    """Theil–Sen slope: the median over all pairs, with its 95 % interval (Sen, 1968); None below 2 different xs.

    The interval is widened by what the residuals are worth (`harness.statistics.dependence`). Where that is too little,
    as for stairs, it is twice the whole range over the whole length, up and down, or as far as the estimate. What
    wanders for as long as the series, under noise, is hard to tell from a slope: 78 to 94 % of intervals hold the truth
    (`SlopesUnderNoise` of `benchmarks/itself/intervals.py`).
    """
    if len(set(xs)) < 2:
        return None
    every = max(1, len(xs) // MAX_POINTS)
    x, y = np.asarray(xs[::every], float), np.asarray(ys[::every], float)
    first, second = np.triu_indices(len(x), 1)
    apart = x[first] != x[second]
    first, second = first[apart], second[apart]
    slopes = np.sort((y[second] - y[first]) / (x[second] - x[first]))
    n, estimate = len(x), float(np.median(slopes))
    if n < MIN_POINTS:
        return Summary(n, estimate, note=f"too few for an interval, which needs {MIN_POINTS} windows")
    size = _worth(y - estimate * x)
    if size < MIN_SAMPLES:
        steepest = 2 * float(np.ptp(y)) / float(np.ptp(x))
        low, high = min(-steepest, estimate), max(steepest, estimate)
        return Summary(n, estimate, low, high, note="it goes by stairs: the interval is all that its range allows")
    worth = min(size, n)
    spread = float(stdtrit(worth - 2, CONFIDENT)) * math.sqrt(n * (n - 1) * (2 * n + 5) / 18 * n / worth)
    low = max(0, int((len(slopes) - spread) / 2))
    high = min(len(slopes) - 1, int((len(slopes) + spread) / 2))
    return Summary(n, estimate, float(slopes[low]), float(slopes[high]))


def _worth(residuals: Values) -> float:
    """So many independent ones; also where noise hides from neighbours what the means of blocks have in common."""
    size = effective_size(residuals, fitted=2)
    if math.isinf(size):
        return size
    return min(size, len(residuals) / max(1.0, *(block_inflation(residuals, blocks, fitted=2) for blocks in _BLOCKS)))
