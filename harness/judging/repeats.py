"""The repeats of an arm, taken together."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from statistics import mean, stdev

from harness.statistics.comparison import CONFIDENT
from harness.vocabulary.quantities import ArmMeasures, Quantity, different


def by_arm(arms: Iterable[ArmMeasures]) -> dict[str, list[ArmMeasures]]:
    """The repeats of each arm, in order of their number; arms in order of their first run."""
    repeats: dict[str, list[ArmMeasures]] = {}
    for arm in arms:
        repeats.setdefault(arm.of, []).append(arm)
    return {of: sorted(each, key=lambda arm: arm.repeat) for of, each in repeats.items()}


def pooled(repeats: Sequence[ArmMeasures], of_all: bool = False) -> ArmMeasures:
    """One arm: the mean of each number over the repeats that have it, and Student's interval from 3 repeats on.

    ``of_all``: only of what every repeat has; what one of them lacks is not available.
    """
    if len(repeats) == 1:
        return repeats[0]
    keys = dict.fromkeys(key for arm in repeats for key in arm.quantities)
    quantities = {key: _pooled([arm.get(*key) for arm in repeats], of_all) for key in keys}
    return replace(repeats[0], arm=repeats[0].of, quantities=quantities)


def _pooled(quantities: Sequence[Quantity], of_all: bool) -> Quantity:
    known = [quantity for quantity in quantities if quantity.value is not None]
    if not known:
        return quantities[0]
    values = [quantity.value for quantity in known if quantity.value is not None]
    missing = len(quantities) - len(known)
    note = f"{missing} of {len(quantities)} repeats have none" if missing else ""
    if of_all and missing:
        return Quantity(known[0].name, known[0].unit, None, subject=known[0].subject, note=note)
    low, high = _interval(values)
    first = known[0]
    if len(units := {quantity.unit for quantity in known}) > 1:
        return Quantity(first.name, first.unit, None, subject=first.subject, note=different(units))
    note = note or ("two repeats tell no interval" if len(values) == 2 else "")
    return Quantity(
        first.name, first.unit, mean(values), len(values), low, high, first.subject, note, samples=tuple(values)
    )


def _interval(values: Sequence[float]) -> tuple[float | None, float | None]:
    """Student's, of the mean; of two values it says nothing."""
    if len(values) < 3 or not all(map(math.isfinite, values)):
        return None, None
    from scipy.special import stdtrit  # a tenth of a second that only judging pays

    half = float(stdtrit(len(values) - 1, CONFIDENT)) * stdev(values) / math.sqrt(len(values))
    return mean(values) - half, mean(values) + half
