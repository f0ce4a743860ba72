"""The process runs at a fraction of its speed: a busy neighbour, a throttled or older machine."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import median
from typing import Annotated, ClassVar

from pydantic import Field

from harness.faults import LastingFault, Life, Proof
from harness.vocabulary.events import Event
from harness.vocabulary.instructions import Act, Instruction, Undo
from harness.vocabulary.receipts import Evidence

TOLERANCE = 0.10


@dataclass(frozen=True)
class Throttled(Event):
    """A throttle ended: seconds it was in force, stops in all, and those that ``/proc`` showed as state T at both ends,
    with the seconds in them (``stopped``). ``state``: that in ``/proc`` once it had ended ("" when gone)."""

    fault: int
    factor: float
    elapsed: float
    stopped: float
    cycles: int
    witnessed: int
    state: str


class Slow(LastingFault):
    """The process gets ``1 / factor`` of the time: it is stopped and continued every few milliseconds."""

    name: ClassVar[str] = "slow"
    evidence: ClassVar[tuple[type[Event], ...]] = (Throttled,)
    factor: Annotated[float, Field(gt=1, le=100, strict=True)]

    @property
    def life(self) -> Life:
        return Life(self.for_, slowdown=self.factor)

    def inject(self, subject: str, number: int) -> tuple[Instruction, ...]:
        return (Act(subject, number, self.name, {"factor": self.factor}),)

    def heal(self, subject: str, number: int) -> tuple[Instruction, ...]:
        return (Undo(subject, number),)

    def receipt(self, evidence: Evidence) -> Proof:
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
