"""The process runs at a fraction of its speed: a busy neighbour, a throttled or older machine."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import median
from typing import Annotated, ClassVar

from pydantic import Field

from harness.faults import LastingFault, Life, Proof, Tolerance
from harness.vocabulary.events import Event
from harness.vocabulary.instructions import Act, Instruction, Undo
from harness.vocabulary.receipts import Evidence, dose


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
    exclusive: ClassVar[bool] = True
    factor: Annotated[float, Field(gt=1, le=100, strict=True)]
    tolerance: Tolerance = 0.10

    @property
    def life(self) -> Life:
        return Life(self.for_, slowdown=self.factor)

    def inject(self, subject: str, number: int) -> tuple[Instruction, ...]:
        return (Act(subject, number, self.name, {"factor": self.factor}),)

    def heal(self, subject: str, number: int) -> tuple[Instruction, ...]:
        return (Undo(subject, number),)

    def receipt(self, evidence: Evidence) -> Proof:
        """``/proc`` showed state T at both ends of stops.

        A worker's own step times stand beside it; they grow less than the factor where a step also waits for others.
        """
        reports = evidence.all(Throttled)
        if not reports:
            return False, "no throttle was reported"
        stopped, elapsed = sum(r.stopped for r in reports), sum(r.elapsed for r in reports)
        witnessed, cycles = sum(r.witnessed for r in reports), sum(r.cycles for r in reports)
        seen = f"stopped for {stopped:.2f} of {elapsed:.2f} s; /proc showed state T in {witnessed} of {cycles} stops"
        if evidence.inside and evidence.outside:
            seen += f"; its steps took {median(evidence.inside) / median(evidence.outside):.2f} times as long"
        return stopped > 0 and 2 * witnessed > cycles, seen

    def dose(self, evidence: Evidence) -> tuple[bool | None, str]:
        """What the share of stopped time gives beyond a factor of 1, against what was asked.

        It begins and ends somewhere between two stops: one more or less at each end changes the factor by ``finest``,
        within which nothing can be told.
        """
        reports = evidence.all(Throttled)
        stopped, elapsed = sum(r.stopped for r in reports), sum(r.elapsed for r in reports)
        factor = elapsed / max(elapsed - stopped, 1e-9)
        finest = 2 * factor**2 * stopped / elapsed / sum(r.cycles for r in reports)
        allowed = self.tolerance * (self.factor - 1)
        sentence = f"a factor of {factor:.2f} for {self.factor:g}"
        doubt = f"in too few stops to tell within {allowed:.2f}"
        finest += allowed
        return dose(factor - self.factor, allowed, finest, sentence, doubt, below=finest)

    def restored(self, evidence: Evidence) -> tuple[bool | None, str]:
        throttled = evidence.all(Throttled)
        if not throttled or throttled[-1].state == "":
            return None, ""
        return throttled[-1].state != "T", f"/proc state {throttled[-1].state}"
