"""A process, or the whole job, is killed and started again, as a cluster would."""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import Field

from harness.events import Exited, Spawned
from harness.faults import ProcessFault
from harness.instructions import Instruction, Signal
from harness.receipts import Evidence, killed
from harness.units import Duration


class Restart(ProcessFault):
    """SIGKILL, and a new process with the same command after a time. It resumes from the last good checkpoint."""

    name: ClassVar[str] = "restart"
    deadly: ClassVar[bool] = True
    after: Duration = Field(default=1.0, description="from the end of the process to its new start")
    scope: Literal["process", "job"] = Field(
        default="process", description="job: every process, as a cluster does where one cannot go on alone"
    )

    @property
    def revival(self) -> float:
        return self.after

    @property
    def whole_job(self) -> bool:
        return self.scope == "job"

    def inject(self, role: str, number: int) -> tuple[Instruction, ...]:
        return (Signal(role, "KILL"),)

    def receipt(self, evidence: Evidence) -> tuple[bool, str]:
        """The kernel's exit status names signal 9, and another process of that role was started in time."""
        proven, said = killed(evidence)
        exited, started = evidence.first(Exited), evidence.first(Spawned)
        if not proven or exited is None or started is None:
            return False, said if not proven else f"{said}; no new process was started"
        waited = started.t - exited.t
        return waited >= 0.9 * self.after, f"{said}; started again {waited:.3f} s later"

    def restored(self, evidence: Evidence) -> tuple[bool | None, str]:
        started = evidence.first(Spawned)
        return started is not None, f"process {started.pid} took its place" if started else "nothing took its place"
