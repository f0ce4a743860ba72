"""The process runs at a fraction of its speed: a busy neighbour, a throttled or older machine."""

from __future__ import annotations

from statistics import median
from typing import Annotated, ClassVar

from pydantic import Field

from harness.events import Throttled
from harness.faults import LastingFault
from harness.instructions import Instruction, Throttle, Unthrottle
from harness.receipts import Evidence

TOLERANCE = 0.10


class Slow(LastingFault):
    """The process gets ``1 / factor`` of the time: it is stopped and continued every few milliseconds."""

    name: ClassVar[str] = "slow"
    factor: Annotated[float, Field(gt=1, le=100, strict=True)]

    @property
    def slowdown(self) -> float:
        return self.factor

    def inject(self, role: str, number: int) -> tuple[Instruction, ...]:
        return (Throttle(role, self.factor),)

    def heal(self, role: str, number: int) -> tuple[Instruction, ...]:
        return (Unthrottle(role),)

    def receipt(self, evidence: Evidence) -> tuple[bool, str]:
        """The share of time that ``/proc`` showed it stopped gives the factor, within 10 % of the asked one.

        A worker's own step times stand beside it; they grow less than the factor where a step also waits for others.
        """
        throttled = evidence.first(Throttled)
        if throttled is None or throttled.elapsed <= throttled.stopped:
            return False, "no throttle was reported"
        factor = throttled.elapsed / (throttled.elapsed - throttled.stopped)
        proven = throttled.witnessed > 0 and abs(factor / self.factor - 1) <= TOLERANCE
        seen = f"stopped for {throttled.stopped:.2f} of {throttled.elapsed:.2f} s, a factor of {factor:.2f}; "
        seen += f"/proc showed state T in {throttled.witnessed} of {throttled.cycles} stops"
        if evidence.inside and evidence.outside:
            seen += f"; its steps took {median(evidence.inside) / median(evidence.outside):.2f} times as long"
        return proven, seen

    def restored(self, evidence: Evidence) -> tuple[bool | None, str]:
        throttled = evidence.first(Throttled)
        if throttled is None or throttled.state == "":
            return None, ""
        return throttled.state != "T", f"/proc state {throttled.state}"
