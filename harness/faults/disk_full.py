"""No room is left on the disk of the checkpoints."""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field

from harness.events import Filled
from harness.faults import LastingFault
from harness.instructions import Disk, Fill, Instruction, Unfill
from harness.receipts import Evidence
from harness.units import Size, bytes_text


class DiskFull(LastingFault):
    """The disk of the checkpoints, which is one of its own in this run, is filled: writing fails with ENOSPC."""

    name: ClassVar[str] = "disk_full"
    disk: Size = Field(
        default=64_000_000,
        ge=1_000_000,
        le=1_000_000_000,
        validate_default=False,
        description="in memory",
    )

    def prepare(self, folder: str) -> tuple[Instruction, ...]:
        return (Disk("", f"{folder}/checkpoints", self.disk),)

    def inject(self, role: str, number: int) -> tuple[Instruction, ...]:
        return (Fill(role, number),)

    def heal(self, role: str, number: int) -> tuple[Instruction, ...]:
        return (Unfill(role, number),)

    def receipt(self, evidence: Evidence) -> tuple[bool, str]:
        """What the file system says is free (statvfs)."""
        told = evidence.first(Filled)
        if told is None:
            return False, "nothing was filled"
        return told.after == 0 < told.before, f"{bytes_text(told.after)} of {bytes_text(told.before)} stayed free"

    def restored(self, evidence: Evidence) -> tuple[bool | None, str]:
        told = evidence.all(Filled)
        return (None, "") if len(told) < 2 else (told[-1].after > 0, f"{bytes_text(told[-1].after)} are free again")
