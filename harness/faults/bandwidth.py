"""The network is narrow: a slower card, a busy switch."""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field

from harness import units
from harness.events import Impaired
from harness.faults import LinkFault
from harness.instructions import Impairment

TOLERANCE = 0.05


class Bandwidth(LinkFault):
    """Packets leave no faster than this; those that find the queue full are dropped."""

    name: ClassVar[str] = "bandwidth"
    limit: units.Bandwidth = Field(gt=0)

    def impairment(self) -> Impairment:
        return Impairment(bandwidth=self.limit)

    def proof(self, told: Impaired) -> tuple[bool, str]:
        if told.rate is None:
            return False, f"{told.packets} packets never had to wait for one another"
        proven = abs(told.rate / self.limit - 1) <= TOLERANCE
        asked = units.bandwidth_text(self.limit)
        return proven, f"{told.packets} packets left at {units.bandwidth_text(told.rate)}, {asked} were asked"
