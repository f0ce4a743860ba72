"""The network is far: each packet takes longer."""

from __future__ import annotations

import math
from typing import ClassVar

from pydantic import Field, model_validator

from harness.base.units import Duration
from harness.faults import LinkFault, Proof, Tolerance
from harness.vocabulary.events import Impaired
from harness.vocabulary.instructions import Impairment
from harness.vocabulary.receipts import Evidence, dose

SCHEDULING = 0.001
"""Seconds that the wire may wake up late."""

HAPPENED = 0.5
"""Of the asked delay that packets had at least, where there was one at all."""


class Latency(LinkFault):
    """Each packet takes so much longer, give or take the jitter; packets keep their order."""

    name: ClassVar[str] = "latency"
    by: Duration = Field(gt=0, description="seconds more, one way")
    jitter: Duration = 0.0
    tolerance: Tolerance = 0.05

    @model_validator(mode="after")
    def _possible(self) -> Latency:
        if self.jitter > self.by:
            raise ValueError(
                f"jitter {self.jitter:g} s is above by {self.by:g} s; no packet arrives before it was sent"
            )
        return self

    def impairment(self) -> Impairment:
        return Impairment(latency=self.by, jitter=self.jitter)

    def proof(self, report: Impaired) -> Proof:
        if report.delay is None:
            return False, f"none of {report.packets} packets arrived"
        return report.delay >= HAPPENED * self.by, f"{report.packets} packets took {report.delay * 1e3:.2f} ms longer"

    def dose(self, evidence: Evidence) -> tuple[bool | None, str]:
        return self.doses(evidence)

    def fits(self, report: Impaired) -> tuple[bool | None, str]:
        """The mean of what packets took longer, within what chance allows for the jitter (four standard errors).

        Since packets keep their order, jitter lets them wait for others: by as much as it is at most.
        """
        if report.delay is None:
            return None, ""
        allowed = self.tolerance * self.by + 4 * self.jitter / math.sqrt(3 * report.packets)
        off = min(report.delay - self.by, 0.0) + max(report.delay - self.by - self.jitter, 0.0)
        doubt = f"and the wire may be {SCHEDULING * 1e3:g} ms late"
        return dose(off, allowed, allowed + SCHEDULING, f"{self.by * 1e3:g} ms were asked", doubt)
