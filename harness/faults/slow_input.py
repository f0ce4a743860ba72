"""The loader stalls: a cold cache, a slow disk."""

from __future__ import annotations

from statistics import median
from typing import ClassVar

from pydantic import Field

from harness.base.units import Duration
from harness.faults import Proof, WorkerFault
from harness.vocabulary.receipts import Evidence

LONG_ENOUGH = 0.9


class SlowInput(WorkerFault):
    """Each batch comes so much later."""

    name: ClassVar[str] = "slow_input"
    by: Duration = Field(gt=0)

    def receipt(self, evidence: Evidence) -> Proof:
        """Its steps took that long at least; MXNet computes one while it waits for the next."""
        if not evidence.inside or not evidence.outside:
            return False, "no window lies wholly within the fault, or none outside of it"
        took, usual = median(evidence.inside), median(evidence.outside)
        times = f"its steps took {took * 1e3:.1f} ms, {usual * 1e3:.1f} ms without it"
        return took >= LONG_ENOUGH * self.by and took > usual, times
