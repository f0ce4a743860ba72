"""What comparisons would answer: drawn anew from effects of real pairs, under the real stopping rule."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

import numpy as np

from harness.statistics.sequential import LEVEL, Look, critical, share
from harness.studies.evidence import GUARD_PART, GUARD_ROOM, GUARDS
from harness.studies.finding import Margin

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
    """Scatter around the mean of each: what alike sides would show. As wide as it is without a mean of its own."""
    wider = math.sqrt(len(effects) / max(len(effects) - 1, 1))
    apart = ((one - fmean(effects), other - fmean(guards)) for one, other in zip(effects, guards, strict=True))
    return [(wider * one, wider * other) for one, other in apart]


def answers(
    effects: Effects, most: int, resolve: float, planted: float = 0.0, seed: int = 0, level: float = LEVEL
) -> Answers:
    """Of comparisons of at most so many pairs, where a change of ``planted`` (a logarithm) is added to each effect.

    As `harness.studies.evidence.guarded` has it.
    """
    drawn = np.random.default_rng(seed).choice(np.asarray(effects, float) + planted, (DRAWN, most))
    every, guards = (_so_far(drawn[..., place]) for place in (0, 1))
    said, own, objection, pairs = (np.full(DRAWN, at) for at in (0, 0, 0, most))
    near, effect, theirs, looked = np.zeros(DRAWN, bool), np.zeros(DRAWN), np.zeros(DRAWN), False
    each = (critical(looks(most), level * part) for part in (1 - GUARDS, GUARDS))
    for mean, other, bound, wide, n in zip(every, guards, *each, range(1, most + 1), strict=True):
        going, now, guard = said == 0, _said(mean, bound, resolve), _said(other, wide, resolve)
        own, effect = np.where(now > 0, now, own), np.where(now > 0, mean.value, effect)
        objection = np.where(guard > 1, guard, np.where(guard == 1, 0, objection))
        near |= _said(other, wide, GUARD_ROOM * resolve) == 1
        if wide < math.inf or not looked:
            theirs, looked = other.value, wide < math.inf
        along = theirs * np.sign(effect) >= GUARD_PART * np.abs(effect)
        word = np.select([objection > 0, (own == 1) & ~near, (own > 1) & ~along], [objection, 0, 0], own)
        said = np.where(going, word, said)
        pairs[going & (said > 0)] = n
    shares = {word: float(np.mean(said == place)) for place, word in enumerate(WORDS)}
    return Answers(shares["faster"], shares["slower"], shares["same"], float(pairs.mean()))


@dataclass(frozen=True)
class _Mean:
    """Of each comparison's effects so far, and its standard error."""

    value: Array
    error: Array


def _so_far(values: Array) -> Iterator[_Mean]:
    """After each pair; a row of ``values`` for each comparison. Sums of squares grow as by Welford (1962)."""
    mean, squares = np.zeros(len(values)), np.zeros(len(values))
    for n, value in enumerate(values.T, 1):
        off = value - mean
        mean = mean + off / n
        squares = squares + off * (value - mean)
        yield _Mean(mean, np.sqrt(squares / max(n - 1, 1) / n))


def _said(mean: _Mean, bound: float, resolve: float) -> Array:
    """The place in WORDS of what such means say."""
    if bound == math.inf:
        return np.zeros(len(mean.value), int)
    low, high = mean.value - bound * mean.error, mean.value + bound * mean.error
    margin = Margin.relative(resolve)
    return np.select([(margin.low <= low) & (high <= margin.high), low > 0, high < 0], [1, 2, 3], 0)
