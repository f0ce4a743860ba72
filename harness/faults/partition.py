"""The network is cut: nothing passes, nobody is told. One way or both."""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field

from harness.events import Impaired
from harness.faults import LinkFault
from harness.instructions import Impairment
from harness.schedule import WallTime


class Partition(LinkFault):
    """No packet passes for the given time. TCP goes on once it is over, by the sender's next retransmission."""

    name: ClassVar[str] = "partition"
    for_: WallTime = Field(alias="for")  # type: ignore[assignment]

    def impairment(self) -> Impairment:
        return Impairment(blocked=True)

    def proof(self, told: Impaired) -> tuple[bool, str]:
        proven = told.touched == told.packets
        return proven, f"all {told.packets} packets of {told.seconds:.3f} s were dropped" if proven else "some passed"
