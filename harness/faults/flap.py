"""The link goes down and comes back, again and again: a loose cable, a card that negotiates anew."""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field

from harness.base.units import Duration
from harness.faults import LinkFault, Proof
from harness.vocabulary.events import Impaired
from harness.vocabulary.instructions import Impairment


class Flap(LinkFault):
    """Nothing passes for a time, everything for another, over and over."""

    name: ClassVar[str] = "flap"
    down: Duration = Field(gt=0)
    up: Duration = Field(gt=0)

    def impairment(self) -> Impairment:
        return Impairment(blocked=True, period=self.down + self.up, down=self.down)

    def proof(self, report: Impaired) -> Proof:
        """Some were dropped while it was down, others passed while it was up."""
        proven = 0 < report.touched < report.packets or (report.touched > 0 and report.seconds <= self.down)
        rounds = report.seconds / (self.down + self.up)
        return proven, f"{report.touched} of {report.packets} packets were dropped in {rounds:.1f} rounds"
