"""The process can't have more memory: a container's limit, a full machine."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from pydantic import Field

from harness.base.units import Size, bytes_text
from harness.faults import LastingFault, Proof
from harness.vocabulary.events import Event
from harness.vocabulary.instructions import Act, Instruction, Undo
from harness.vocabulary.receipts import Evidence


@dataclass(frozen=True)
class Limited(Event):
    """The limit of a process's private memory in bytes (``/proc/<pid>/limits``, None is unlimited), before and after it
    was set or ``ended``, and what it held then (VmData)."""

    fault: int
    pid: int
    ended: bool
    before: int | None
    after: int | None
    held: int


class MemoryLimit(LastingFault):
    """Private memory (VmData: heap, anonymous maps, stacks) beyond the limit is refused by the kernel (RLIMIT_DATA)."""

    name: ClassVar[str] = "memory_limit"
    evidence: ClassVar[tuple[type[Event], ...]] = (Limited,)
    exclusive: ClassVar[bool] = True
    limit: Size = Field(gt=0, le=10**15, description="bytes of VmData, in which every thread's stack counts with 8 MiB")

    def inject(self, subject: str, number: int) -> tuple[Instruction, ...]:
        return (Act(subject, number, self.name, {"bytes": self.limit}),)

    def heal(self, subject: str, number: int) -> tuple[Instruction, ...]:
        return (Undo(subject, number),)

    def receipt(self, evidence: Evidence) -> Proof:
        """The limit that the kernel shows in ``/proc/<pid>/limits``, of every process that it met, and to its end."""
        begun = [report for report in evidence.all(Limited) if not report.ended]
        ends = [report for report in evidence.all(Limited) if report.ended]
        if not begun:
            return False, "no limit was reported"
        if ends and ends[-1].before != self.limit:
            return False, f"something else had set the limit to {_shown(ends[-1].before)} before it ended"
        limited = begun[0]
        held = bytes_text(limited.held)
        seen = f"/proc/{limited.pid} shows a limit of {_shown(limited.after)}; it held {held} then"
        return all(report.after == self.limit for report in begun), seen

    def restored(self, evidence: Evidence) -> tuple[bool | None, str]:
        """Of the process that it met last, where that was there to its end."""
        reports = evidence.all(Limited)
        if not reports or not reports[-1].ended:
            return None, ""
        before = next(report.before for report in reports if report.pid == reports[-1].pid)
        after = reports[-1].after
        return after == before, "the limit is as before" if after == before else f"the limit is {after}, not {before}"


def _shown(limit: int | None) -> str:
    return "unlimited" if limit is None else bytes_text(limit)
