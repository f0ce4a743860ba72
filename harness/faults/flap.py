"""The link goes down and comes back, again and again: a loose cable, a card that negotiates anew."""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field

from harness.events import Impaired
from harness.faults import LinkFault
from harness.instructions import Impairment
from harness.units import Duration


class Flap(LinkFault):
    """Nothing passes for a time, everything for another, over and over."""

    name: ClassVar[str] = "flap"
    down: Duration = Field(gt=0)
    up: Duration = Field(gt=0)

    def impairment(self) -> Impairment:
        return Impairment(blocked=True, period=self.down + self.up, down=self.down)

    def proof(self, told: Impaired) -> tuple[bool, str]:
        """Some were dropped while it was down, others passed while it was up."""
        proven = 0 < told.touched < told.packets or (told.touched > 0 and told.seconds <= self.down)
        rounds = told.seconds / (self.down + self.up)
        return proven, f"{told.touched} of {told.packets} packets were dropped in {rounds:.1f} rounds"
