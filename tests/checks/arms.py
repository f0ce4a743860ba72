"""Arms with given quantities, to judge."""

from __future__ import annotations

from harness.events import Ended, Outcome
from harness.measures import ArmMeasures, Quantity


def arm(*quantities: Quantity, name: str = "main", outcome: Outcome = "completed") -> ArmMeasures:
    ended = Ended(1.0, name, "", outcome, "the reason")
    return ArmMeasures(name, ended, (), {(quantity.name, quantity.role): quantity for quantity in quantities})
