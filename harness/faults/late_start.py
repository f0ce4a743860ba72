"""A process comes up late, or never: a slow image pull, a machine that was not there."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from pydantic import Field

from harness.base.units import Duration
from harness.faults import Fault, Life, Proof
from harness.vocabulary.events import Event, Spawned
from harness.vocabulary.instructions import Instruction
from harness.vocabulary.job_bounds import JobBounds, Refusal
from harness.vocabulary.receipts import Evidence


class LateStart(Fault):
    """The selected process is started so much later than the others, or not at all where no time is given."""

    name: ClassVar[str] = "late_start"
    evidence: ClassVar[tuple[type[Event], ...]] = (Spawned,)
    by: Duration | None = Field(default=None, gt=0, description="never, if left out")

    @property
    def life(self) -> Life:
        return Life(at_startup=True, withholds=True, restart_after=self.by)

    def refusals(self, job: JobBounds) -> Iterator[Refusal]:
        """Beyond the time in which all must have come up, it is as if it never came."""
        if self.by is not None and self.by >= job.startup_timeout:
            yield ("by",), f"{self.by:g} s is beyond startup_timeout, {job.startup_timeout:g} s; leave by out for never"

    def inject(self, subject: str, number: int) -> tuple[Instruction, ...]:
        return ()

    def receipt(self, evidence: Evidence) -> Proof:
        """When the kernel gave the role a process."""
        started = evidence.first(Spawned)
        if self.by is None or started is None:
            return (self.by is None) == (started is None), "no process was started" if started is None else "it started"
        waited = started.t - evidence.events[0].t
        return waited >= 0.9 * self.by, f"its process was started after {waited:.3f} s"
