"""A checkpoint is damaged on disk: a torn write, a flipped bit."""

from __future__ import annotations

from typing import ClassVar, Literal

from harness.events import Damaged
from harness.faults import ProcessFault
from harness.instructions import Damage, Instruction
from harness.receipts import Evidence


class CheckpointCorrupt(ProcessFault):
    """The newest checkpoint is cut to half its length, or one of its bits flips. Nobody is told."""

    name: ClassVar[str] = "checkpoint_corrupt"
    momentary: ClassVar[bool] = True
    how: Literal["truncate", "flip"] = "flip"

    def inject(self, role: str, number: int) -> tuple[Instruction, ...]:
        return (Damage(role, number, self.how),)

    def receipt(self, evidence: Evidence) -> tuple[bool, str]:
        """Hash and size of the file before and after."""
        told = evidence.first(Damaged)
        if told is None or not told.file:
            return False, "there was no checkpoint"
        said = f"{told.file}: {told.size_before} bytes, SHA-256 {told.before[:8]}, "
        return told.before != told.after, said + f"became {told.size_after} bytes, {told.after[:8]}"
