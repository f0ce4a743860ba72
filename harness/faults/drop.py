"""A worker leaves out an update: an exception that was swallowed, a branch that not all take."""

from __future__ import annotations

from typing import ClassVar

from harness.events import Tampered
from harness.faults import WorkerFault


class Drop(WorkerFault):
    """The worker neither pushes nor pulls in a step; its own weights stay as they were."""

    name: ClassVar[str] = "drop"

    def flaw(self, told: Tampered) -> str | None:
        """The worker's weights before and after the step have the same hash."""
        return f"the weights changed in step {told.step}" if told.before != told.after else None
