"""A worker sends old gradients: a buffer that was not waited for."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from harness.faults import TensorFault
from harness.vocabulary.job_bounds import JobBounds, Refusal


class Stale(TensorFault):
    """The gradient of the step before is sent again, of one parameter or of all where none is named."""

    name: ClassVar[str] = "stale"

    def refusals(self, job: JobBounds) -> Iterator[Refusal]:
        yield from super().refusals(job)
        if self.at is not None and self.at.step == 0:
            yield ("at", "step"), "before step 0 there is no gradient to send again"
