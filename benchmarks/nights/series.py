"""Series of nights as machines make them: logarithms of a number that scatters from run to run and night to night."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from benchmarks.itself.intervals import autoregressive

Values = np.ndarray
NIGHTS, SERIES, ROUNDS = 60, 40, 5
RUN_SD, NIGHT_SD = 0.075, 0.05
"""From run to run of one night and between nights, of lenet on 2 shared cores (`harness/asv_bridge/tracking.py`)."""

BAD, BAD_NIGHTS = 0.3, 1 / 20
DRIFT = 0.002
"""By which a drifting machine gets slower a night: 12 % in 60."""


def _of_nights(between: Values, random: np.random.Generator) -> Values:
    """What the middle of a night's rounds is, where nights differ by so much."""
    rounds = random.standard_normal((len(between), ROUNDS)) * RUN_SD
    return np.asarray(np.median(rounds, axis=1) + between)


def independent(random: np.random.Generator) -> Values:
    """Nights that have nothing to do with each other."""
    return _of_nights(random.standard_normal(NIGHTS) * NIGHT_SD, random)


def alike(random: np.random.Generator) -> Values:
    """Nights of which each is like the one before: AR 0.5."""
    return _of_nights(autoregressive(0.5)(random, NIGHTS) * NIGHT_SD, random)


def bad_nights(random: np.random.Generator) -> Values:
    """One night in twenty is 30 % slower."""
    return independent(random) + np.where(random.random(NIGHTS) < BAD_NIGHTS, BAD, 0.0)


def drifting(random: np.random.Generator) -> Values:
    """A machine that gets slower, by 0.2 % a night."""
    return independent(random) + DRIFT * np.arange(NIGHTS)


KINDS: dict[str, Callable[[np.random.Generator], Values]] = {
    "independent": independent,
    "AR 0.5": alike,
    "a bad night in 20": bad_nights,
    "slow drift": drifting,
}
