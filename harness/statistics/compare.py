"""Compare two sets of samples: a ratio or a difference, its interval, and what could have been seen at all."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

RESAMPLES = 2000
_SEED = 20190613
MIN_SAMPLES = 6


@dataclass(frozen=True)
class Comparison:
    """An estimate with its 95 % interval. ``detectable`` is the smallest change that would have shown."""

    estimate: float
    low: float
    high: float
    n: int

    @property
    def detectable(self) -> float:
        """Half the width of the interval: a change of this size is as likely as not to be told from none."""
        return (self.high - self.low) / 2


def ratio_of_medians(subject: Sequence[float], baseline: Sequence[float]) -> Comparison | None:
    """Median of ``subject`` over median of ``baseline``, percentile bootstrap; None with fewer than 6 of either."""
    if min(len(subject), len(baseline)) < MIN_SAMPLES:
        return None
    random = np.random.default_rng(_SEED)
    ratios = _medians(subject, random) / _medians(baseline, random)
    low, high = np.quantile(ratios, [0.025, 0.975])
    estimate = float(np.median(subject) / np.median(baseline))
    return Comparison(estimate, float(low), float(high), min(len(subject), len(baseline)))


def _medians(samples: Sequence[float], random: np.random.Generator) -> np.ndarray:
    values = np.asarray(samples)
    return np.asarray(np.median(random.choice(values, (RESAMPLES, len(values))), axis=1))


def relative_difference(subject: Sequence[float], baseline: Sequence[float]) -> Comparison | None:
    """Mean of paired differences over the mean of ``baseline``; None with fewer than 6 pairs or a mean of zero.

    Neighbours are alike, so whole blocks of √n are resampled (moving block bootstrap, Künsch, 1989).
    """
    n = min(len(subject), len(baseline))
    base = float(np.mean(baseline[:n])) if n else 0.0
    if n < MIN_SAMPLES or base == 0:
        return None
    differences = np.asarray(subject[:n]) - np.asarray(baseline[:n])
    block = max(1, math.isqrt(n))
    random = np.random.default_rng(_SEED)
    starts = random.integers(0, n - block + 1, (RESAMPLES, math.ceil(n / block)))
    index = (starts[:, :, None] + np.arange(block)).reshape(RESAMPLES, -1)[:, :n]
    means = differences[index].mean(axis=1) / base
    low, high = np.quantile(means, [0.025, 0.975])
    return Comparison(float(differences.mean()) / base, float(low), float(high), n)
