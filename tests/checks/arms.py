"""Arms with given quantities, to judge."""

from __future__ import annotations

from collections.abc import Sequence

from harness.vocabulary.events import Ended, Outcome
from harness.vocabulary.quantities import ArmMeasures, Quantity
from harness.vocabulary.receipts import Receipt


def arm(
    *quantities: Quantity,
    name: str = "main",
    outcome: Outcome = "completed",
    receipts: Sequence[Receipt] = (),
    repeat: int = 1,
    seed: int = 0,
) -> ArmMeasures:
    full_name = name if repeat == 1 else f"{name}.{repeat}"
    ended = Ended(1.0, full_name, "", outcome, "the reason")
    by_name = {(quantity.name, quantity.subject): quantity for quantity in quantities}
    return ArmMeasures(full_name, name, repeat, seed, ended, receipts, by_name)
