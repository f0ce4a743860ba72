"""What comparisons would answer: drawn anew from effects of real pairs, under the real stopping rule."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

import numpy as np

from harness.statistics.sequential import LEVEL, Look, critical, share
from harness.studies.evidence import GUARDS

DRAWN = 10_000
WORDS = ("undecided", "same", "faster", "slower")

Effects = Sequence[tuple[float, float]]
"""Of each pair, the effect (a logarithm) by the measure that decides, and by its guard."""

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Answers:
    """Shares of comparisons that ended so, and how many pairs they took on average; the rest was undecided."""

    faster: float
    slower: float
    same: float
    pairs: float


def looks(most: int) -> tuple[Look, ...]:
    """Those of a budget that has room for so many pairs."""
    return tuple(Look(n, share((n + 1) / (most + 1))) for n in range(1, most + 1))


def centred(effects: Sequence[float], guards: Sequence[float]) -> Effects:
    """Scatter around the mean of each: what alike sides would show."""
    return [(one - fmean(effects), other - fmean(guards)) for one, other in zip(effects, guards, strict=True)]


def answers(effects: Effects, most: int, resolve: float, planted: float = 0.0, seed: int = 0) -> Answers:
    """Of comparisons of at most so many pairs, where a change of ``planted`` (a logarithm) is added to each effect.

    As `harness.studies.evidence` has it: what a look decided stays, and the guard's word counts where it objects.
    """
    drawn = np.random.default_rng(seed).choice(np.asarray(effects, float) + planted, (DRAWN, most))
    said, guards, pairs = (np.full(DRAWN, at) for at in (0, 0, most))
    each = (critical(looks(most), LEVEL * part) for part in (1 - GUARDS, GUARDS))
    for n, bounds in enumerate(zip(*each, strict=True), 1):
        going = said == 0
        own, guard = (_said(drawn[:, :n, place], bound, resolve) for place, bound in enumerate(bounds))
        guards = np.where(guards == 0, guard, guards)
        said = np.where(going, np.where(guards > 1, guards, own), said)
        pairs[going & (said > 0)] = n
    shares = {word: float(np.mean(said == place)) for place, word in enumerate(WORDS)}
    return Answers(shares["faster"], shares["slower"], shares["same"], float(pairs.mean()))


def _said(values: Array, bound: float, resolve: float) -> Array:
    """The place in WORDS of what so many values say, a row for each comparison."""
    n = values.shape[1]
    if bound == math.inf:
        return np.zeros(len(values), int)
    means, half = values.mean(axis=1), bound * values.std(axis=1, ddof=1) / math.sqrt(n)
    same = (means - half >= -resolve) & (means + half <= resolve)
    return np.select([same, means - half > 0, means + half < 0], [1, 2, 3], 0)
