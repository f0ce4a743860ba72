"""Arms with given quantities, to judge."""

from __future__ import annotations

from collections.abc import Sequence

from harness.vocabulary.events import Ended, Outcome
from harness.vocabulary.quantities import ArmMeasures, Quantity
from harness.vocabulary.receipts import Receipt


def arm(
    *quantities: Quantity, name: str = "main", outcome: Outcome = "completed", receipts: Sequence[Receipt] = ()
) -> ArmMeasures:
    ended = Ended(1.0, name, "", outcome, "the reason")
    return ArmMeasures(name, ended, receipts, {(quantity.name, quantity.subject): quantity for quantity in quantities})
