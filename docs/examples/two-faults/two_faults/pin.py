"""The process may use one processor only: a container's cpuset, a wrong setting of the scheduler."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from harness.faults import LastingFault, Proof
from harness.vocabulary.events import Event
from harness.vocabulary.instructions import Act, Instruction, Undo
from harness.vocabulary.receipts import Evidence


@dataclass(frozen=True)
class Pinned(Event):
    """Processors that every thread of a process may use, as the kernel shows them, before and after."""

    fault: int
    before: list[int]
    after: list[int]


class Pin(LastingFault):
    """Every thread of the selected process is held to one processor."""

    name: ClassVar[str] = "pin"
    evidence: ClassVar[tuple[type[Event], ...]] = (Pinned,)

    def inject(self, subject: str, number: int) -> tuple[Instruction, ...]:
        return (Act(subject, number, self.name, {}),)

    def heal(self, subject: str, number: int) -> tuple[Instruction, ...]:
        return (Undo(subject, number),)

    def receipt(self, evidence: Evidence) -> Proof:
        """The processors that ``/proc`` shows for its threads."""
        pinned = evidence.first(Pinned)
        if pinned is None:
            return False, "nothing was pinned"
        return len(pinned.after) == 1, f"/proc shows processors {pinned.after}, {pinned.before} before"

    def restored(self, evidence: Evidence) -> tuple[bool | None, str]:
        reports = evidence.all(Pinned)
        if len(reports) < 2:
            return None, ""
        return reports[-1].after == reports[0].before, f"/proc shows processors {reports[-1].after}"
