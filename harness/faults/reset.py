"""Connections are torn down: a restarted firewall, a proxy that forgets."""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field

from harness.events import Impaired
from harness.faults import LinkFault
from harness.instructions import Impairment
from harness.receipts import Evidence
from harness.schedule import WallTime


class Reset(LinkFault):
    """Both ends of every TCP connection that a packet comes by of get an RST, once for each connection."""

    name: ClassVar[str] = "reset"
    for_: WallTime = Field(  # type: ignore[assignment]
        default=WallTime.model_validate({"time": "1s"}), alias="for", description="how long connections are looked for"
    )

    def impairment(self) -> Impairment:
        return Impairment(reset=True)

    def proof(self, told: Impaired) -> tuple[bool, str]:
        return told.touched > 0, f"{told.touched} connections were torn down at {told.packets} packets"

    def receipt(self, evidence: Evidence) -> tuple[bool, str]:
        """A connection is torn down once, in whichever direction a packet comes by first."""
        told = [report for report in evidence.all(Impaired) if not report.after]
        torn, packets = (sum(getattr(report, name) for report in told) for name in ("touched", "packets"))
        return torn > 0, f"{torn} connections were torn down, at {packets} packets"
