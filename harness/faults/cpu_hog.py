"""Somebody else computes on the same processors: a noisy neighbour, a forgotten job."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

from pydantic import Field

from harness.faults import LastingFault, Proof
from harness.vocabulary.events import Event
from harness.vocabulary.instructions import Act, Instruction, Undo
from harness.vocabulary.receipts import Evidence

LEAST_SHARE = 0.05
"""Of a processor that each process of a hog gets at least, where it is there at all."""


@dataclass(frozen=True)
class Hogged(Event):
    """A hog ended: seconds in force, processor seconds that it burnt and that the role waited (``schedstat``) in them.

    ``left``: how many of its processes are still there.
    """

    fault: int
    processes: int
    elapsed: float
    burnt: float
    waited: float
    left: int


class CpuHog(LastingFault):
    """Processes that compute for nothing, on the processors that the selected one may use."""

    name: ClassVar[str] = "cpu_hog"
    evidence: ClassVar[tuple[type[Event], ...]] = (Hogged,)
    processes: Annotated[int, Field(ge=1, le=256, strict=True)] | None = Field(
        default=None, description="one for each processor of the role, if left out"
    )

    def inject(self, subject: str, number: int) -> tuple[Instruction, ...]:
        return (Act(subject, number, self.name, {"processes": self.processes}),)

    def heal(self, subject: str, number: int) -> tuple[Instruction, ...]:
        return (Undo(subject, number),)

    def receipt(self, evidence: Evidence) -> Proof:
        """Processor time that the kernel counted for the hog, and how long the role's threads waited for one."""
        hogs = evidence.all(Hogged)
        if not hogs:
            return False, "no hog was reported"
        burnt, elapsed, waited = (sum(values) for values in zip(*(_times(hog) for hog in hogs), strict=True))
        proven = burnt >= LEAST_SHARE * hogs[0].processes * elapsed > 0
        spent = f"{hogs[0].processes} processes burnt {burnt:.2f} s of processor time in {elapsed:.2f} s"
        return proven, f"{spent}; the role's threads waited {waited:.2f} s for a processor"

    def restored(self, evidence: Evidence) -> tuple[bool | None, str]:
        hogs = evidence.all(Hogged)
        left = sum(hog.left for hog in hogs)
        return (left == 0, f"{left} processes of the hog are left") if hogs else (None, "")


def _times(hog: Hogged) -> tuple[float, float, float]:
    return hog.burnt, hog.elapsed, hog.waited
