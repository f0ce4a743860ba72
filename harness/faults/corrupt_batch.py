"""A batch is not what it should be: a decoder gone wrong, labels of another file."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar, Literal

from harness.faults import InputFault
from harness.vocabulary.job_bounds import JobBounds, Refusal


class CorruptBatch(InputFault):
    """The samples of a batch become noise, zeros or NaN, or its labels those of other samples."""

    name: ClassVar[str] = "corrupt_batch"
    how: Literal["noise", "zeros", "nan", "labels"] = "noise"

    def refusals(self, job: JobBounds) -> Iterator[Refusal]:
        yield from super().refusals(job)
        if self.how == "nan" and job.input in ("tokens", "ids"):
            yield ("how",), f"{job.model} takes {job.input}, which are whole numbers; NaN is none; use noise or zeros"
