"""The network is far: each packet takes longer."""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field, model_validator

from harness.base.units import Duration
from harness.faults import LinkFault, Proof
from harness.vocabulary.events import Impaired
from harness.vocabulary.instructions import Impairment

TOLERANCE = 0.05
SCHEDULING = 0.001
"""Seconds that the wire may wake up late."""


class Latency(LinkFault):
    """Each packet takes so much longer, give or take the jitter; packets keep their order."""

    name: ClassVar[str] = "latency"
    by: Duration = Field(gt=0, description="seconds more, one way")
    jitter: Duration = 0.0

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
        proven = abs(report.delay - self.by) <= TOLERANCE * self.by + self.jitter + SCHEDULING
        return (
            proven,
            f"{report.packets} packets took {report.delay * 1e3:.2f} ms longer, {self.by * 1e3:g} ms were asked",
        )
