"""The process is killed while it writes a checkpoint."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from pydantic import Field

from harness.base.units import Duration
from harness.faults import Life, Proof, WorkerFault, checkpoint_refusals
from harness.vocabulary.events import Event, Exited, Signalled
from harness.vocabulary.instructions import Instruction, Signal
from harness.vocabulary.job_bounds import JobBounds, Refusal
from harness.vocabulary.receipts import Evidence, killed


@dataclass(frozen=True)
class Checkpointing(Event):
    """A worker has written half of the checkpoint of ``step`` and stands still, as a fault asked."""

    fault: int
    step: int


class CheckpointKill(WorkerFault):
    """SIGKILL when half of the checkpoint that is due at the given step has been written; a script's next one."""

    name: ClassVar[str] = "checkpoint_kill"
    evidence: ClassVar[tuple[type[Event], ...]] = (Checkpointing, Signalled, Exited)
    after: Duration | None = Field(default=None, description="the process is started again so much later, if given")

    @property
    def life(self) -> Life:
        return Life(terminates=True, restart_after=self.after)

    def follow(self, event: Event) -> tuple[Instruction, ...]:
        return (Signal(event.subject, "KILL", event.fault),) if isinstance(event, Checkpointing) else ()

    def receipt(self, evidence: Evidence) -> Proof:
        """The worker stood in the middle of its file when the kernel ended it by signal 9."""
        proven, sentence = killed(evidence)
        half = evidence.first(Checkpointing)
        if half is None:
            return (
                False,
                "no checkpoint was being written; a script's is one that MXNet saves where checkpoint.files says",
            )
        return proven, f"half of the checkpoint of step {half.step} was written; {sentence}"

    def refusals(self, job: JobBounds) -> Iterator[Refusal]:
        yield from super().refusals(job)
        if job.own_checkpoints:
            return
        yield from checkpoint_refusals(self, job)
        step, every = self.at.step if self.at else None, job.checkpoint_every
        if every is not None and (not step or step % every):
            yield ("at",), f"checkpoints are written at multiples of {every} steps; give such a step"
