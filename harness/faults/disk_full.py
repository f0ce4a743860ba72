"""No room is left on the disk of the checkpoints."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from pydantic import Field

from harness.base.units import Size, bytes_text
from harness.faults import Fault, LastingFault, Proof, checkpoint_refusals
from harness.vocabulary.events import Event
from harness.vocabulary.instructions import Act, Instruction, Prepare, Undo
from harness.vocabulary.job_bounds import JobBounds, Refusal
from harness.vocabulary.receipts import Evidence


@dataclass(frozen=True)
class Filled(Event):
    """Free bytes of the disk of checkpoints (statvfs), before and after it was filled or emptied."""

    fault: int
    before: int
    after: int


class DiskFull(LastingFault):
    """The disk of the checkpoints, which is one of its own in this run, is filled: writing fails with ENOSPC.

    A script's is that of its `scratch`, which holds all that it writes to its folder.
    """

    name: ClassVar[str] = "disk_full"
    evidence: ClassVar[tuple[type[Event], ...]] = (Filled,)
    needs: ClassVar[tuple[str, ...]] = ("namespaces",)
    exclusive: ClassVar[bool] = True
    disk: Size = Field(
        default=64_000_000,
        ge=1_000_000,
        le=1_000_000_000,
        validate_default=False,
        description="in memory",
    )

    def prepare(self, folder: str) -> tuple[Instruction, ...]:
        return (Prepare("", self.name, {"path": f"{folder}/checkpoints", "size": self.disk}),)

    def inject(self, subject: str, number: int) -> tuple[Instruction, ...]:
        return (Act(subject, number, self.name, {}),)

    def heal(self, subject: str, number: int) -> tuple[Instruction, ...]:
        return (Undo(subject, number),)

    def receipt(self, evidence: Evidence) -> Proof:
        """What the file system says is free (statvfs)."""
        filled = evidence.first(Filled)
        if filled is None:
            return False, "nothing was filled"
        return (
            filled.after == 0 < filled.before,
            f"{bytes_text(filled.after)} of {bytes_text(filled.before)} stayed free",
        )

    def restored(self, evidence: Evidence) -> tuple[bool | None, str]:
        reports = evidence.all(Filled)
        if len(reports) < 2:
            return None, ""
        return reports[-1].after > 0, f"{bytes_text(reports[-1].after)} are free again"

    def refusals(self, job: JobBounds) -> Iterator[Refusal]:
        if job.training != "script":
            yield from checkpoint_refusals(self, job)
        elif not job.scratch:
            yield (), "disk_full fills a disk of the script's own; give workload.scratch: true, so that it has one"

    def clash(self, other: Fault) -> Refusal | None:
        if isinstance(other, DiskFull) and other.disk != self.disk:
            return ("disk",), "all share one disk of checkpoints; give one size"
        return None
