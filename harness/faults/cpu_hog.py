"""Somebody else computes on the same processors: a noisy neighbour, a forgotten job."""

from __future__ import annotations

from typing import Annotated, ClassVar

from pydantic import Field

from harness.events import Hogged
from harness.faults import LastingFault
from harness.instructions import Hog, Instruction, Unhog
from harness.receipts import Evidence

LEAST_SHARE = 0.05
"""Of a processor that each process of a hog gets at least, where it is there at all."""


class CpuHog(LastingFault):
    """Processes that compute for nothing, on the processors that the selected one may use."""

    name: ClassVar[str] = "cpu_hog"
    processes: Annotated[int, Field(ge=1, le=256, strict=True)] | None = Field(
        default=None, description="one for each processor of the role, if left out"
    )

    def inject(self, role: str, number: int) -> tuple[Instruction, ...]:
        return (Hog(role, number, self.processes or 0),)

    def heal(self, role: str, number: int) -> tuple[Instruction, ...]:
        return (Unhog(role, number),)

    def receipt(self, evidence: Evidence) -> tuple[bool, str]:
        """Processor time that the kernel counted for the hog, and how long the role's threads waited for one."""
        told = evidence.first(Hogged)
        if told is None:
            return False, "no hog was reported"
        proven = told.burnt >= LEAST_SHARE * told.processes * told.elapsed > 0
        said = f"{told.processes} processes burnt {told.burnt:.2f} s of processor time in {told.elapsed:.2f} s; "
        return proven, said + f"the role's threads waited {told.waited:.2f} s for a processor"

    def restored(self, evidence: Evidence) -> tuple[bool | None, str]:
        told = evidence.first(Hogged)
        return (None, "") if told is None else (told.left == 0, f"{told.left} processes of the hog are left")
