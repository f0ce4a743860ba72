"""The shapes change in the course of training: another bucket, another source of data."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

from harness import shapes
from harness.faults import InputFault, Proof
from harness.vocabulary.events import Committed
from harness.vocabulary.job_bounds import JobBounds, Refusal
from harness.vocabulary.receipts import Evidence

_Shapes: Any = shapes.annotation()


class ShapeShift(InputFault):
    """Sizes are drawn from another distribution, while it lasts."""

    name: ClassVar[str] = "shape_shift"
    shapes: _Shapes

    def refutation(self, report: Committed) -> str | None:
        """A size may be drawn that the step would have had anyway."""
        return None

    def receipt(self, evidence: Evidence) -> Proof:
        """Batches had other sizes than they would have had, by their hash, in its steps only; one of them at least."""
        proven, sentence = super().receipt(evidence)
        others = sum(report.before != report.after for report in evidence.all(Committed))
        return proven and others > 0, f"{sentence}; {others} batches are others"

    def sizes(self, seed: int, steps: int) -> tuple[int, ...]:
        drawn: tuple[int, ...] = self.shapes.sizes(seed, steps)
        return drawn

    def refusals(self, job: JobBounds) -> Iterator[Refusal]:
        yield from super().refusals(job)
        if (why := self.shapes.refusal()) is not None:
            yield ("shapes",), why
            return
        smallest = min(self.sizes(job.seed, job.steps))
        if not job.variable:
            yield ("shapes",), f"{job.model} takes one size only"
        elif smallest < job.smallest:
            yield ("shapes",), f"{job.model} needs a size of {job.smallest} or more, not {smallest}"
