"""Slope of a series that may hold outliers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from harness.statistics.comparison import MIN_SAMPLES, Comparison

MAX_POINTS = 200


def slope(xs: Sequence[float], ys: Sequence[float]) -> Comparison | None:
    """Theil–Sen slope: the median over all pairs, with its 95 % interval (Sen, 1968); None below 6 different xs.

    Memory comes in stairs, where neighbours are alike: the interval is widened for the correlation that is left.
    """
    if len(set(xs)) < MIN_SAMPLES:
        return None
    every = max(1, len(xs) // MAX_POINTS)
    x, y = np.asarray(xs[::every], float), np.asarray(ys[::every], float)
    first, second = np.triu_indices(len(x), 1)
    apart = x[first] != x[second]
    first, second = first[apart], second[apart]
    slopes = np.sort((y[second] - y[first]) / (x[second] - x[first]))
    n = len(x)
    spread = 1.96 * np.sqrt(n * (n - 1) * (2 * n + 5) / 18) * _likeness(x, y, float(np.median(slopes)))
    low = max(0, int((len(slopes) - spread) / 2))
    high = min(len(slopes) - 1, int((len(slopes) + spread) / 2))
    return Comparison(float(np.median(slopes)), float(slopes[low]), float(slopes[high]), n)


def _likeness(x: np.ndarray[Any, Any], y: np.ndarray[Any, Any], estimate: float) -> float:
    """√((1 + ρ) / (1 - ρ)) for the correlation ρ of neighbouring residuals (Bayley and Hammersley, 1946)."""
    residuals = y - estimate * x
    residuals = residuals - residuals.mean()
    power = float((residuals**2).sum())
    if power == 0:
        return 1.0
    rho = float((residuals[1:] * residuals[:-1]).sum()) / power
    rho = min(max(rho + (1 + 3 * rho) / len(x), 0.0), 0.95)  # a short series shows less than there is
    return float(np.sqrt((1 + rho) / (1 - rho)))
