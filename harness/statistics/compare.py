"""Compare two sets of samples: a ratio or a difference, its interval, and what could have been seen at all.

Neighbouring windows and steps are alike, so that whole blocks of √n are resampled, round the end (circular block
bootstrap, Politis and Romano, 1992); few blocks say little, so that the interval is widened as Student's t would be.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from harness.statistics.comparison import MIN_PAIRS, MIN_SAMPLES, Comparison, Z

RESAMPLES = 2000
_SEED = 20190613


def ratio_of_medians(subject: Sequence[float], baseline: Sequence[float]) -> Comparison | None:
    """Median of ``subject`` over median of ``baseline``; None with fewer than 6 of either."""
    n = min(len(subject), len(baseline))
    if n < MIN_SAMPLES:
        return None
    random = np.random.default_rng(_SEED)
    logs = np.log(_medians(subject, random)) - np.log(_medians(baseline, random))
    estimate = math.log(float(np.median(subject) / np.median(baseline)))
    low, high = _interval(logs, estimate, n)
    return Comparison(math.exp(estimate), math.exp(low), math.exp(high), n)


def relative_difference(subject: Sequence[float], baseline: Sequence[float]) -> Comparison | None:
    """Mean of paired differences over the mean of ``baseline``.

    None where the two differ in length, have fewer than 20 pairs, or the mean is zero or not finite.
    """
    n = len(subject)
    if n != len(baseline) or n < MIN_PAIRS:
        return None
    base = float(np.mean(baseline))
    differences = np.asarray(subject) - np.asarray(baseline)
    if base == 0 or not math.isfinite(base) or not np.isfinite(differences).all():
        return None
    random = np.random.default_rng(_SEED)
    means = differences[_blocks(n, random)].mean(axis=1) / base
    estimate = float(differences.mean()) / base
    low, high = _interval(means, estimate, n)
    return Comparison(estimate, low, high, n)


def _medians(samples: Sequence[float], random: np.random.Generator) -> np.ndarray[Any, Any]:
    values = np.asarray(samples)
    return np.asarray(np.median(values[_blocks(len(values), random)], axis=1))


def _block(n: int) -> int:
    return max(1, math.isqrt(n))


def _blocks(n: int, random: np.random.Generator) -> np.ndarray[Any, Any]:
    """Indices of resamples of n values, block by block."""
    block = _block(n)
    starts = random.integers(0, n, (RESAMPLES, math.ceil(n / block)))
    return ((starts[:, :, None] + np.arange(block)) % n).reshape(RESAMPLES, -1)[:, :n]


def _interval(resampled: np.ndarray[Any, Any], estimate: float, n: int) -> tuple[float, float]:
    """Percentiles, widened about the estimate."""
    low, high = np.quantile(resampled, [0.025, 0.975])
    wider = _student(n / _block(n) - 1) / Z
    return estimate - wider * max(0.0, estimate - low), estimate + wider * max(0.0, high - estimate)


def _student(freedom: float) -> float:
    """The 97.5 % point of Student's t (Cornish–Fisher expansion; Abramowitz and Stegun 26.7.5)."""
    z, v = Z, max(freedom, 1.0)
    return z + (z**3 + z) / (4 * v) + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * v**2)
