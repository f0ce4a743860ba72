"""Connections are torn down: a restarted firewall, a proxy that forgets."""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field

from harness.faults import LinkFault, Proof
from harness.vocabulary.events import Impaired
from harness.vocabulary.instructions import Impairment
from harness.vocabulary.receipts import Evidence
from harness.vocabulary.schedule import WallTime


class Reset(LinkFault):
    """Both ends of every TCP connection that a packet comes by of get an RST, once for each connection."""

    name: ClassVar[str] = "reset"
    for_: WallTime = Field(  # type: ignore[assignment]
        default=WallTime.model_validate({"time": "1s"}), alias="for", description="how long connections are looked for"
    )

    def impairment(self) -> Impairment:
        return Impairment(reset=True)

    def proof(self, report: Impaired) -> Proof:
        return report.touched > 0, f"{report.touched} connections were torn down at {report.packets} packets"

    def receipt(self, evidence: Evidence) -> Proof:
        """Connections that the wire counted as torn down, once each, by whichever direction a packet came first."""
        reports = evidence.all(Impaired)
        torn, packets = (sum(getattr(report, name) for report in reports) for name in ("touched", "packets"))
        return torn > 0, f"{torn} connections were torn down, at {packets} packets"
