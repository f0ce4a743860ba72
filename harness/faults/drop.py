"""A worker leaves out an update: an exception that was swallowed, a branch that not all take."""

from __future__ import annotations

from typing import ClassVar

from harness.faults import WorkerFault
from harness.vocabulary.events import Committed


class Drop(WorkerFault):
    """The worker neither pushes nor pulls in a step; its own weights stay as they were."""

    name: ClassVar[str] = "drop"

    def flaw(self, report: Committed) -> str | None:
        """The worker's weights before and after the step have the same hash."""
        return f"the weights changed in step {report.step}" if report.before != report.after else None
