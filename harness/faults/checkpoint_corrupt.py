"""A checkpoint is damaged on disk: a torn write, a flipped bit."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, Literal

from harness.faults import Fault, Life, Proof, checkpoint_refusals
from harness.vocabulary.events import Event
from harness.vocabulary.instructions import Act, Instruction
from harness.vocabulary.job_bounds import JobBounds, Refusal
from harness.vocabulary.receipts import Evidence


@dataclass(frozen=True)
class Damaged(Event):
    """The newest checkpoint was damaged: its file ("" where there is none), SHA-256 and size before and after."""

    fault: int
    file: str
    before: str
    after: str
    size_before: int
    size_after: int


class CheckpointCorrupt(Fault):
    """The newest checkpoint is cut to half its length, or one of its bits flips. Nobody is told."""

    name: ClassVar[str] = "checkpoint_corrupt"
    evidence: ClassVar[tuple[type[Event], ...]] = (Damaged,)
    how: Literal["truncate", "flip"] = "flip"

    @property
    def life(self) -> Life:
        return Life(instantaneous=True)

    def inject(self, subject: str, number: int) -> tuple[Instruction, ...]:
        return (Act(subject, number, self.name, {"how": self.how}),)

    def receipt(self, evidence: Evidence) -> Proof:
        """Hash and size of the file before and after."""
        damage = evidence.first(Damaged)
        if damage is None or not damage.file:
            return False, "there was no checkpoint"
        before = f"{damage.file}: {damage.size_before} bytes, SHA-256 {damage.before[:8]}"
        return damage.before != damage.after, f"{before}, became {damage.size_after} bytes, {damage.after[:8]}"

    def refusals(self, job: JobBounds) -> Iterator[Refusal]:
        if not job.own_checkpoints:
            yield from checkpoint_refusals(self, job)
