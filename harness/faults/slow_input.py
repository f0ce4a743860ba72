"""The loader stalls: a cold cache, a slow disk."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import median
from typing import ClassVar

from pydantic import Field

from harness.base.units import Duration
from harness.faults import InputFault, Proof, Tolerance
from harness.vocabulary.events import Event
from harness.vocabulary.receipts import Evidence, dose

LONG_ENOUGH = 0.9
WAKING = 0.001
"""Seconds that a sleep may last longer on an idle machine."""


@dataclass(frozen=True)
class Delayed(Event):
    """The batch of a step came later, by so many ``seconds`` of the worker's own clock."""

    fault: int
    step: int
    seconds: float


class SlowInput(InputFault):
    """Each batch comes so much later."""

    name: ClassVar[str] = "slow_input"
    evidence: ClassVar[tuple[type[Event], ...]] = (Delayed,)
    by: Duration = Field(gt=0)
    tolerance: Tolerance = 0.25

    def receipt(self, evidence: Evidence) -> Proof:
        """The delay that the worker spent before each batch; its steps may hide it, since MXNet computes meanwhile."""
        delays = evidence.all(Delayed)
        steps = sorted({report.step for report in delays})
        if (refuted := self.off_its_steps(steps, evidence)) is not None:
            return False, refuted
        shortest = min(report.seconds for report in delays)
        seen = f"{len(steps)} batches came {shortest * 1e3:.1f} ms later at least"
        if evidence.inside and evidence.outside:
            took, usual = median(evidence.inside), median(evidence.outside)
            seen += f"; its steps took {took * 1e3:.1f} ms, {usual * 1e3:.1f} ms without it"
        return shortest >= LONG_ENOUGH * self.by, seen

    def dose(self, evidence: Evidence) -> tuple[bool | None, str]:
        """The median delay."""
        took = median(report.seconds for report in evidence.all(Delayed))
        allowed = self.tolerance * self.by
        sentence = f"{took * 1e3:.1f} ms each, {self.by * 1e3:g} ms were asked"
        doubt = f"and a sleep may last {WAKING * 1e3:g} ms longer"
        return dose(took - self.by, allowed, allowed + WAKING, sentence, doubt)
