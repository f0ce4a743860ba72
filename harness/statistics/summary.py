"""Median and its confidence interval, without assuming a distribution."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

CONFIDENCE = 0.95


@dataclass(frozen=True)
class Summary:
    """``low`` and ``high`` hold the median with 95 % confidence; None with too few samples to say (below 6)."""

    n: int
    median: float
    low: float | None
    high: float | None


def summarize(samples: Sequence[float]) -> Summary:
    """Median and interval from order statistics; ValueError without samples."""
    if not samples:
        raise ValueError("no samples")
    ordered = sorted(samples)
    rank = _rank(len(ordered))
    if rank is None:
        return Summary(len(ordered), median(ordered), None, None)
    return Summary(len(ordered), median(ordered), ordered[rank], ordered[-1 - rank])


def quantile(samples: Sequence[float], fraction: float) -> float:
    """Linear interpolation between order statistics (type 7 of Hyndman and Fan, 1996)."""
    ordered = sorted(samples)
    position = fraction * (len(ordered) - 1)
    below = math.floor(position)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (position - below) * (ordered[above] - ordered[below])


def _rank(n: int) -> int | None:
    """The largest k such that the k-th values from both ends still hold the median with 95 %: binomial tail."""
    if n > 1000:
        return max(0, math.floor(n / 2 - 0.98 * math.sqrt(n)) - 1)
    tail, best = 0.0, None
    for k in range(n // 2):
        tail += math.comb(n, k) * 0.5**n
        if 2 * tail > 1 - CONFIDENCE:
            break
        best = k
    return best
