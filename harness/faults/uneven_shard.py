"""One worker has more to do than the others: shards of unequal size."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, ClassVar

from pydantic import Field, model_validator

from harness.faults import InputFault, Life, Proof
from harness.vocabulary.events import Committed
from harness.vocabulary.job_bounds import JobBounds, Refusal
from harness.vocabulary.receipts import Evidence
from harness.vocabulary.schedule import exactly_one


class UnevenShard(InputFault):
    """A worker's batches hold ``batch`` times the samples, or it takes ``steps`` steps more than the others."""

    name: ClassVar[str] = "uneven_shard"
    batch: Annotated[int, Field(ge=2, le=64, strict=True)] | None = None
    steps: Annotated[int, Field(ge=1, strict=True)] | None = None

    @model_validator(mode="after")
    def _one(self) -> UnevenShard:
        exactly_one(self, "batch", "steps")
        return self

    @property
    def life(self) -> Life:
        return Life(self.for_)

    def refusals(self, job: JobBounds) -> Iterator[Refusal]:
        yield from super().refusals(job)
        if self.steps is not None and job.training == "script":
            yield ("steps",), "a script decides itself how many steps it takes; give batch"

    def receipt(self, evidence: Evidence) -> Proof:
        """What the worker's batches hold, or how many steps it set out to take."""
        report = evidence.first(Committed)
        if report is None:
            return False, self.unseen
        return self.refutation(report) is None, f"from step {report.step}: {report.detail}"
