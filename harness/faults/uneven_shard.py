"""One worker has more to do than the others: shards of unequal size."""

from __future__ import annotations

from typing import Annotated, ClassVar

from pydantic import Field, model_validator

from harness.events import Tampered
from harness.faults import WorkerFault
from harness.receipts import Evidence
from harness.schedule import For, exactly_one


class UnevenShard(WorkerFault):
    """A worker's batches hold ``batch`` times the samples, or it takes ``steps`` steps more than the others."""

    name: ClassVar[str] = "uneven_shard"
    batch: Annotated[int, Field(ge=2, le=64, strict=True)] | None = None
    steps: Annotated[int, Field(ge=1, strict=True)] | None = None

    @model_validator(mode="after")
    def _one(self) -> UnevenShard:
        exactly_one(self, "batch", "steps")
        return self

    @property
    def duration(self) -> For | None:
        return None if self.for_ is None else self.for_

    def receipt(self, evidence: Evidence) -> tuple[bool, str]:
        """What the worker's batches hold, or how many steps it set out to take."""
        told = evidence.first(Tampered)
        if told is None:
            return False, "the worker reported no tampering"
        return self.flaw(told) is None, f"from step {told.step}: {told.detail}"
