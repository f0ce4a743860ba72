"""The process is gone at once, as by the kernel's out-of-memory killer or a reclaimed machine."""

from __future__ import annotations

from typing import ClassVar

from harness.faults import Evidence, ProcessFault
from harness.instructions import Instruction, Signal


class Kill(ProcessFault):
    """SIGKILL to the selected process; it is not started again."""

    name: ClassVar[str] = "kill"
    deadly: ClassVar[bool] = True

    def inject(self, role: str, number: int) -> tuple[Instruction, ...]:
        return (Signal(role, "KILL"),)

    def receipt(self, evidence: Evidence) -> tuple[bool, str]:
        """The kernel's exit status names signal 9, and ``/proc`` shows a zombie or nothing."""
        sent, exited = evidence.signalled("KILL"), evidence.exited()
        if sent is None:
            return False, "no KILL was sent"
        if exited is None or exited.signal != 9:
            return False, "the process did not end by signal 9"
        state = "gone" if sent.after == "" else f"state {sent.after}"
        return sent.after in ("", "Z", "X"), f"ended by signal 9; /proc shows it {state}"
