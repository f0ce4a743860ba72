"""A process, or the whole job, is killed and started again, as a cluster would."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar, Literal

from pydantic import Field

from harness.base.units import Duration
from harness.faults import Fault, Life, Proof
from harness.vocabulary.events import Event, Exited, Signalled, Spawned
from harness.vocabulary.instructions import Instruction, Signal
from harness.vocabulary.job_bounds import JobBounds, Refusal
from harness.vocabulary.receipts import Evidence, killed


class Restart(Fault):
    """SIGKILL, and a new process with the same command after a time. It resumes from the last good checkpoint."""

    name: ClassVar[str] = "restart"
    evidence: ClassVar[tuple[type[Event], ...]] = (Signalled, Exited, Spawned)
    after: Duration = Field(default=1.0, description="from the end of the process to its new start")
    scope: Literal["process", "job"] = Field(
        default="process", description="job: every process, as a cluster does where one cannot go on alone"
    )

    @property
    def life(self) -> Life:
        return Life(terminates=True, restart_after=self.after, whole_job=self.scope == "job")

    def inject(self, subject: str, number: int) -> tuple[Instruction, ...]:
        return (Signal(subject, "KILL"),)

    def receipt(self, evidence: Evidence) -> Proof:
        """The kernel's exit status names signal 9, and another process of that role was started in time."""
        proven, sentence = killed(evidence)
        exited, started = evidence.first(Exited), evidence.first(Spawned)
        if not proven or exited is None:
            return False, sentence
        if started is None:
            return False, f"{sentence}; no new process was started"
        waited = started.t - exited.t
        return waited >= 0.9 * self.after, f"{sentence}; started again {waited:.3f} s later"

    def restored(self, evidence: Evidence) -> tuple[bool | None, str]:
        started = evidence.first(Spawned)
        return started is not None, f"process {started.pid} took its place" if started else "nothing took its place"

    def refusals(self, job: JobBounds) -> Iterator[Refusal]:
        if not job.elastic and self.scope == "process":
            yield ("scope",), "Horovod for MXNet is not elastic: a rank that comes back cannot join; give scope: job"
