"""The process is gone at once, as by the kernel's out-of-memory killer or a reclaimed machine."""

from __future__ import annotations

from typing import ClassVar

from harness.faults import Fault, Life, Proof
from harness.vocabulary.events import Event, Exited, Signalled
from harness.vocabulary.instructions import Instruction, Signal
from harness.vocabulary.receipts import Evidence, killed


class Kill(Fault):
    """SIGKILL to the selected process; it is not started again."""

    name: ClassVar[str] = "kill"
    evidence: ClassVar[tuple[type[Event], ...]] = (Signalled, Exited)

    @property
    def life(self) -> Life:
        return Life(terminates=True)

    def inject(self, subject: str, number: int) -> tuple[Instruction, ...]:
        return (Signal(subject, "KILL", number),)

    def receipt(self, evidence: Evidence) -> Proof:
        """Whether the kernel's exit status names signal 9, and ``/proc`` shows a zombie or nothing."""
        return killed(evidence)
