"""The process is gone at once, as by the kernel's out-of-memory killer or a reclaimed machine."""

from __future__ import annotations

from typing import ClassVar

from harness.faults import ProcessFault
from harness.instructions import Instruction, Signal
from harness.receipts import Evidence, killed


class Kill(ProcessFault):
    """SIGKILL to the selected process; it is not started again."""

    name: ClassVar[str] = "kill"
    deadly: ClassVar[bool] = True

    def inject(self, role: str, number: int) -> tuple[Instruction, ...]:
        return (Signal(role, "KILL"),)

    def receipt(self, evidence: Evidence) -> tuple[bool, str]:
        return killed(evidence)
