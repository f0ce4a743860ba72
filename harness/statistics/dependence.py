"""How many independent values a series is worth.

Windows of one process are alike: a neighbour on the machine, a clock that changes, a page that stays where it is. What
is judged is the order of ranks, so that heavy tails and single stalls do no harm.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

Values = np.ndarray[Any, np.dtype[np.float64]]

BLOCKS = 5
_PAIRS_OF = 100
"""So many values, evenly spaced, stand for all where each is compared with each."""

_QUANTILE = 0.8
_CLOSEST = 0.999


BEYOND = 1.28
"""Standard errors: neighbours are taken to be as alike as they are at most, with 90 % confidence.

By the estimate alone, of AR 0.6 series of 8 values that had an interval 79 % held the truth in it, and 81 % of AR 0.9
series of 40 (with 0 here, 300 series each of `benchmarks/itself/intervals.py`).
"""


def effective_size(values: Values, fitted: int = 1, beyond: float = BEYOND) -> float:
    """As many independent values tell as much of the median; infinite where all are equal, at most ``len(values)``.

    As for an autoregressive Gaussian series of first order seen through ranks: two signs, k apart, are correlated by
    2/π arcsin φᵏ (Sheppard, 1899). Of two estimates of φ the larger counts, corrected for what a short series hides
    (Kendall, 1954) from which so many parameters were ``fitted``: 1 for a level, 2 for a line; and ``beyond`` it by so
    many standard errors, since a short series looks independent now and then.
    """
    n = len(values)
    scores = _normal_scores(values)
    power = float(scores @ scores)
    if power == 0:
        return math.inf
    alike = max(float(scores[1:] @ scores[:-1]) / power, 1 - _step_ratio(values) ** 2)
    phi = min(max(alike + (fitted + (fitted + 2) * max(alike, 0.0)) / n, 0.0), _CLOSEST)
    phi = min(phi + beyond * math.sqrt((1 - phi**2) / n), _CLOSEST)
    apart = np.arange(1, n)
    return n / (1 + 2 * float((1 - apart / n) @ (2 / math.pi * np.arcsin(phi**apart))))


def block_inflation(values: Values, blocks: int = BLOCKS, fitted: int = 1) -> float:
    """Variance of the means of blocks over that of independent values: sees what is alike for long, under noise too."""
    length = len(values) // blocks
    scores = _normal_scores(values)
    means = scores[: length * blocks].reshape(blocks, length).mean(axis=1)
    return float(means.var() * blocks / (blocks - fitted)) * length / float(scores @ scores / len(scores))


def _normal_scores(values: Values) -> Values:
    """What a normal distribution has at the ranks of the values; equal values share theirs (van der Waerden)."""
    from scipy.special import ndtri

    _, place, counts = np.unique(values, return_inverse=True, return_counts=True)
    ranks = np.cumsum(counts) - counts / 2
    return np.asarray(ndtri(ranks[place] / len(values)))


def _step_ratio(values: Values) -> float:
    """Large steps from one value to the next, over large differences of any two.

    About 1 where order means nothing, √(1 - φ) for an autoregressive series, and near 0 for one whose level jumps.
    """
    some = values[np.linspace(0, len(values) - 1, min(len(values), _PAIRS_OF)).astype(int)]
    first, second = np.triu_indices(len(some), 1)
    between = float(np.quantile(np.abs(some[first] - some[second]), _QUANTILE))
    return float(np.quantile(np.abs(np.diff(values)), _QUANTILE)) / between if between > 0 else 1.0
