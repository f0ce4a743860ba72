"""A worker leaves out an update: an exception that was swallowed, a branch that not all take."""

from __future__ import annotations

from typing import ClassVar

from harness.faults import Proof, WorkerFault
from harness.vocabulary.events import Committed
from harness.vocabulary.receipts import Evidence


class Drop(WorkerFault):
    """The worker neither pushes nor pulls in a step; its own weights stay as they were."""

    name: ClassVar[str] = "drop"

    def receipt(self, evidence: Evidence) -> Proof:
        """The worker's weights have the same hash before and after the step."""
        return super().receipt(evidence)

    def refutation(self, report: Committed) -> str | None:
        return f"the weights changed in step {report.step}" if report.before != report.after else None
