"""Slope of a series that may hold outliers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from harness.statistics.compare import MIN_SAMPLES, Comparison

MAX_POINTS = 200


def slope(xs: Sequence[float], ys: Sequence[float]) -> Comparison | None:
    """Theil–Sen slope: the median over all pairs, with its 95 % interval (Sen, 1968); None below 6 points."""
    if len(xs) < MIN_SAMPLES:
        return None
    every = max(1, len(xs) // MAX_POINTS)
    x, y = np.asarray(xs[::every], float), np.asarray(ys[::every], float)
    first, second = np.triu_indices(len(x), 1)
    slopes = np.sort((y[second] - y[first]) / (x[second] - x[first]))
    n = len(x)
    spread = 1.96 * np.sqrt(n * (n - 1) * (2 * n + 5) / 18)
    low = max(0, int((len(slopes) - spread) / 2))
    high = min(len(slopes) - 1, int((len(slopes) + spread) / 2))
    return Comparison(float(np.median(slopes)), float(slopes[low]), float(slopes[high]), n)
