"""What comparisons would answer: drawn anew from effects of real pairs, under the real stopping rule."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

import numpy as np

from harness.statistics.sequential import LEVEL, Look, critical, share
from harness.studies.evidence import GUARD_PART, GUARD_ROOM, GUARDS

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


def answers(
    effects: Effects, most: int, resolve: float, planted: float = 0.0, seed: int = 0, level: float = LEVEL
) -> Answers:
    """Of comparisons of at most so many pairs, where a change of ``planted`` (a logarithm) is added to each effect.

    As `harness.studies.evidence.guarded` has it.
    """
    drawn = np.random.default_rng(seed).choice(np.asarray(effects, float) + planted, (DRAWN, most))
    said, own, objection, pairs = (np.full(DRAWN, at) for at in (0, 0, 0, most))
    near, effect = np.zeros(DRAWN, bool), np.zeros(DRAWN)
    each = (critical(looks(most), level * part) for part in (1 - GUARDS, GUARDS))
    for n, (bound, wide) in enumerate(zip(*each, strict=True), 1):
        going, guard = said == 0, _said(drawn[:, :n, 1], wide, resolve)
        now = np.where(own == 0, _said(drawn[:, :n, 0], bound, resolve), own)
        effect, own = np.where(own == now, effect, drawn[:, :n, 0].mean(axis=1)), now
        objection = np.where((objection == 0) & (guard > 1), guard, objection)
        near |= _said(drawn[:, :n, 1], wide, GUARD_ROOM * resolve) == 1
        along = drawn[:, :n, 1].mean(axis=1) * np.sign(effect) >= GUARD_PART * np.abs(effect)
        word = np.select([objection > 0, (own == 1) & ~near, (own > 1) & ~along], [objection, 0, 0], own)
        said = np.where(going, word, said)
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
