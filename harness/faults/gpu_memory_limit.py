"""The process can't have more memory of a GPU: another job moved in, or a smaller card."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, ClassVar

from pydantic import Field

from harness.base.units import Size, bytes_text
from harness.faults import LastingFault, Proof
from harness.vocabulary.events import Event
from harness.vocabulary.instructions import Act, Instruction, Undo
from harness.vocabulary.job_bounds import JobBounds, Refusal
from harness.vocabulary.receipts import Evidence


@dataclass(frozen=True)
class GpuHeld(Event):
    """A process of ours holds ``held`` bytes of a GPU so that nobody else can have them, or has ``ended`` to.

    ``before`` and ``after`` are bytes that CUDA says were free (cudaMemGetInfo). ``alive``: whether the process was
    still there when it was ended.
    """

    fault: int
    ended: bool
    held: int
    before: int
    after: int
    alive: bool


class GpuMemoryLimit(LastingFault):
    """A process of ours holds all memory of a GPU but ``free`` bytes; what the pool has already, it keeps."""

    name: ClassVar[str] = "gpu_memory_limit"
    evidence: ClassVar[tuple[type[Event], ...]] = (GpuHeld,)
    needs: ClassVar[tuple[str, ...]] = ("gpus",)
    exclusive: ClassVar[bool] = True
    free: Size = Field(description="bytes of the GPU that stay free")
    gpu: Annotated[int, Field(ge=0, le=63, strict=True)] = Field(default=0, description="one of the process's contexts")

    def inject(self, subject: str, number: int) -> tuple[Instruction, ...]:
        return (Act(subject, number, self.name, {"free": self.free, "gpu": self.gpu}),)

    def heal(self, subject: str, number: int) -> tuple[Instruction, ...]:
        return (Undo(subject, number),)

    def refusals(self, job: JobBounds) -> Iterator[Refusal]:
        for role in job.selected(self.select):
            own = job.contexts_of(role)
            if f"gpu({self.gpu})" not in own:
                yield ("gpu",), f"{role} trains on {', '.join(own)}, and not on gpu({self.gpu})"

    def receipt(self, evidence: Evidence) -> Proof:
        """What CUDA says is free once it is held, and that it was held to the end."""
        reports = evidence.all(GpuHeld)
        begun = [report for report in reports if not report.ended]
        if not begun:
            return False, "no memory was held"
        if any(not report.alive for report in reports if report.ended):
            return False, "the process that held the memory was gone before the fault ended"
        if len(begun) > sum(report.ended for report in reports):
            return False, "nobody says whether the memory was held to the end"
        first = begun[0]
        held, after, before = map(bytes_text, (first.held, first.after, first.before))
        seen = f"{held} were held, and {after} of {before} stayed free"
        return all(report.held > 0 and report.after <= self.free for report in begun), seen

    def restored(self, evidence: Evidence) -> tuple[bool | None, str]:
        """Whether CUDA says that more is free once it was given back; the job may take it at once."""
        ends = [report for report in evidence.all(GpuHeld) if report.ended and report.alive]
        if not ends or ends[-1].after <= ends[-1].before:
            return None, ""
        return True, f"{bytes_text(ends[-1].after)} were free afterwards"
