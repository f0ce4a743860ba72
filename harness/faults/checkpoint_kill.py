"""The process is killed while it writes a checkpoint."""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field

from harness.events import Checkpointing, Event
from harness.faults import WorkerFault
from harness.instructions import Instruction, Signal
from harness.receipts import Evidence, killed
from harness.units import Duration


class CheckpointKill(WorkerFault):
    """SIGKILL when half of the checkpoint that is due at the given step has been written."""

    name: ClassVar[str] = "checkpoint_kill"
    deadly: ClassVar[bool] = True
    after: Duration | None = Field(default=None, description="the process is started again so much later, if given")

    @property
    def duration(self) -> None:
        return None

    @property
    def revival(self) -> float | None:
        return self.after

    def heal(self, role: str, number: int) -> tuple[Instruction, ...]:
        return ()

    def follow(self, event: Event, role: str) -> tuple[Instruction, ...]:
        return (Signal(role, "KILL"),) if isinstance(event, Checkpointing) else ()

    def receipt(self, evidence: Evidence) -> tuple[bool, str]:
        """The worker stood in the middle of its file when the kernel ended it by signal 9."""
        proven, said = killed(evidence)
        half = evidence.first(Checkpointing)
        if half is None:
            return False, "no checkpoint was being written"
        return proven, f"half of the checkpoint of step {half.step} was written; {said}"
