"""The network is narrow: a slower card, a busy switch."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from pydantic import Field

from harness.base import units
from harness.faults import LinkFault, Proof, Tolerance
from harness.vocabulary.events import Impaired
from harness.vocabulary.instructions import Impairment
from harness.vocabulary.job_bounds import JobBounds, Refusal
from harness.vocabulary.receipts import Evidence


class Bandwidth(LinkFault):
    """Packets leave no faster than this; those that find the queue full are dropped."""

    name: ClassVar[str] = "bandwidth"
    limit: units.Bandwidth = Field(gt=0)
    tolerance: Tolerance = 0.05

    def impairment(self) -> Impairment:
        return Impairment(bandwidth=self.limit)

    def proof(self, report: Impaired) -> Proof:
        if report.rate is None:
            return False, f"{report.packets} packets never had to wait for one another"
        return True, f"packets that waited left at {units.bandwidth_text(report.rate)}"

    def dose(self, evidence: Evidence) -> tuple[bool | None, str]:
        return self.doses(evidence)

    def fits(self, report: Impaired) -> tuple[bool | None, str]:
        """The rate of packets while others waited."""
        if report.rate is None:
            return None, ""
        return abs(report.rate / self.limit - 1) <= self.tolerance, f"{units.bandwidth_text(self.limit)} were asked"

    def refusals(self, job: JobBounds) -> Iterator[Refusal]:
        yield from super().refusals(job)
        if self.peer is not None:
            yield ("peer",), "packets to all hosts share one queue, so that a bandwidth is that of the whole link"
