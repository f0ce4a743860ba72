"""The network is cut: nothing passes, nobody is told. One way or both."""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field

from harness.faults import LinkFault, Proof
from harness.vocabulary.events import Impaired
from harness.vocabulary.instructions import Impairment
from harness.vocabulary.schedule import WallTime


class Partition(LinkFault):
    """No packet passes for the given time. TCP goes on once it is over, by the sender's next retransmission."""

    name: ClassVar[str] = "partition"
    for_: WallTime = Field(alias="for")  # type: ignore[assignment]

    def impairment(self) -> Impairment:
        return Impairment(blocked=True)

    def proof(self, report: Impaired) -> Proof:
        proven = report.touched == report.packets
        return (
            proven,
            f"all {report.packets} packets of {report.seconds:.3f} s were dropped" if proven else "some passed",
        )
