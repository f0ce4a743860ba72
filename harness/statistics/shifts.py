"""Where a series of nights changed its level, and whether tonight is unlike the nights before. Pure.

A suspicion, not an answer: nights differ by what the machine does. Compared are medians, so that a bad night does no
harm, and nights count for as many as they are worth (`harness.statistics.dependence`). Apache Otava, made for this,
takes a level that wanders for changes (of flat series with a correlation of 0.5 from night to night: see
`benchmarks/nights`), and brings thirty packages.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from harness.statistics.dependence import effective_size

LEVEL = 0.005
"""Chance that a series in which nothing changed is suspected on a night, about."""

MIN_BEFORE = 5
"""Nights: fewer before a change say too little of what is usual."""

MOST = 60
"""Nights that are looked at."""

_MEDIAN = 1.2533
"""By how much a median scatters more than a mean, for normal values."""

_MAD = 1.4826
_LEAST = 1e-9


@dataclass(frozen=True)
class Shift:
    """The level changed with night ``at`` (from 0), from ``before`` to ``after``."""

    at: int
    before: float
    after: float


def last_shift(values: Sequence[float], least: float = 0.0) -> Shift | None:
    """The latest change of level, by more than ``least``; None where there is none, or too few nights to tell.

    Binary segmentation (Scott and Knott, 1974): the clearest change first, then what is beyond it.
    """
    first = max(0, len(values) - MOST)
    found = _clearest(np.asarray(values[first:], float), least)
    if found is None:
        return None
    later = last_shift(values[first + found.at :], least)
    return Shift(first + found.at + later.at, later.before, later.after) if later else _moved(found, first)


def is_unusual(before: Sequence[float], tonight: float, least: float = 0.0) -> bool:
    """Whether one more value is unlike those before it, by more than ``least``; never with fewer than `MIN_BEFORE`.

    Where all before were equal, anything else is; where most were, what lasts.
    """
    if len(before) < MIN_BEFORE:
        return False
    known = np.asarray(before[-MOST:], float)
    apart = abs(tonight - float(np.median(known)))
    return apart > max(least, _bound(known, np.asarray([tonight]), 1))


def _clearest(values: NDArray[np.float64], least: float) -> Shift | None:
    """The change that exceeds its bound the most; of several, the one that leaves the least beside the medians."""
    places = range(MIN_BEFORE, len(values))
    best: tuple[float, float, Shift] | None = None
    for at in places:
        before, after = values[:at], values[at:]
        shift = Shift(at, float(np.median(before)), float(np.median(after)))
        apart, bound = abs(shift.after - shift.before), _bound(before, after, len(places))
        left = float(np.abs(before - shift.before).sum() + np.abs(after - shift.after).sum())
        clear = apart / max(bound, _LEAST), -left
        if apart > max(least, bound) and (best is None or clear > best[:2]):
            best = *clear, shift
    return best[2] if best else None


def _bound(before: NDArray[np.float64], after: NDArray[np.float64], looks: int) -> float:
    """By how much medians may differ where nothing changed, in all but `LEVEL` of cases, at any of so many looks."""
    from scipy.special import stdtrit

    usual = np.median(before)
    if np.median(np.abs(before - usual)) == 0 and (np.ptp(before) > 0 or np.any(after == usual)):
        return _bound_of_few(before, after, looks)
    each = [part - np.median(part) for part in (before, after) if len(part) >= MIN_BEFORE]
    apart = np.concatenate(each)
    scale = _MAD * float(np.median(np.abs(apart))) or float(np.std(apart))
    worth = effective_size(before, beyond=0.0) if np.ptp(before) > 0 else float(len(before))
    share = min(1.0, worth / len(before))
    freedom = max(1.0, len(apart) * share - len(each))
    sizes = [max(1.0, len(part) * share) for part in (before, after)]
    spread = scale * math.sqrt(sum((1.0 if size < 3 else _MEDIAN**2) / size for size in sizes))
    return float(stdtrit(freedom, 1 - LEVEL / 2 / looks)) * spread


def _bound_of_few(before: NDArray[np.float64], after: NDArray[np.float64], looks: int) -> float:
    """0 where so many nights are unlike the usual one that chance does not explain it; infinite else.

    As of a loss that is one of two, bit by bit, now and then: how far an odd night was off does not matter. One more
    than there were is taken for odd.
    """
    from scipy.special import bdtrc

    usual = np.median(before)
    chance = (np.count_nonzero(before != usual) + 1) / (len(before) + 2)
    odd = np.count_nonzero(after != usual)
    return 0.0 if float(bdtrc(odd - 1, len(after), chance)) <= LEVEL / looks else math.inf


def _moved(shift: Shift, by: int) -> Shift:
    return Shift(shift.at + by, shift.before, shift.after)
