"""The process can't have more memory: a container's limit, a full machine."""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field

from harness.events import Limited
from harness.faults import LastingFault
from harness.instructions import Instruction, Limit
from harness.receipts import Evidence
from harness.units import Size, bytes_text


class MemoryLimit(LastingFault):
    """Private memory (VmData: heap, anonymous maps, stacks) beyond the limit is refused by the kernel (RLIMIT_DATA)."""

    name: ClassVar[str] = "memory_limit"
    limit: Size = Field(gt=0, le=10**15, description="bytes of VmData, in which every thread's stack counts with 8 MiB")

    def inject(self, role: str, number: int) -> tuple[Instruction, ...]:
        return (Limit(role, number, self.limit),)

    def heal(self, role: str, number: int) -> tuple[Instruction, ...]:
        return (Limit(role, number, None),)

    def receipt(self, evidence: Evidence) -> tuple[bool, str]:
        """The limit that the kernel shows in ``/proc/<pid>/limits``."""
        told = evidence.first(Limited)
        if told is None:
            return False, "no limit was reported"
        shown = "unlimited" if told.after is None else bytes_text(told.after)
        said = f"/proc shows a limit of {shown}; it held {bytes_text(told.held)} then"
        return told.after == self.limit, said

    def restored(self, evidence: Evidence) -> tuple[bool | None, str]:
        told = evidence.all(Limited)
        if len(told) < 2:
            return None, ""
        return told[-1].after == told[0].before, "the limit is as before" if told[-1].after == told[0].before else ""
