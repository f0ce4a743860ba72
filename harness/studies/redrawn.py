"""What comparisons would answer: drawn anew from effects of real pairs, under the real stopping rule."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from harness.statistics.sequential import LEVEL, Look, critical, share
from harness.studies.evidence import GUARDS

DRAWN = 10_000


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


def answers(effects: Sequence[float], most: int, resolve: float, planted: float = 0.0, seed: int = 0) -> Answers:
    """Of comparisons of at most so many pairs, where a change of ``planted`` (a logarithm) is added to each effect.

    The median of turns decides with its share of the level; the guard, which looks at all turns together, is left out.
    """
    import numpy as np

    values = np.random.default_rng(seed).choice(np.asarray(effects, float) + planted, (DRAWN, most))
    going, pairs = np.ones(DRAWN, bool), np.full(DRAWN, most)
    counts = {"faster": 0, "slower": 0, "same": 0}
    for n, bound in enumerate(critical(looks(most), LEVEL * (1 - GUARDS)), 1):
        if bound == math.inf:
            continue
        means = values[:, :n].mean(axis=1)
        half = bound * values[:, :n].std(axis=1, ddof=1) / math.sqrt(n)
        same = (means - half >= -resolve) & (means + half <= resolve)
        words: Mapping[str, np.ndarray] = {
            "same": same,
            "faster": ~same & (means - half > 0),
            "slower": ~same & (means + half < 0),
        }
        for word, said in words.items():
            counts[word] += int(np.count_nonzero(said & going))
        ended = going & np.logical_or.reduce([*words.values()])
        pairs[ended] = n
        going &= ~ended
    shares = {word: count / DRAWN for word, count in counts.items()}
    return Answers(**shares, pairs=float(pairs.mean()))
