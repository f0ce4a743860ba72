"""The variables with which a process was started, as the kernel has them."""

from __future__ import annotations

from typing import ClassVar

from harness.agent import proc
from harness.agent.faults import Commitment, Fields


class Commit(Commitment):
    """Nothing is done to the process, whose environment the plan has changed; it is only looked at."""

    reports: ClassVar[str] = "environment"

    def begin(self) -> Fields:
        known = proc.environment(self.child.pid)
        return {"values": {name: known[name] for name in self.parameters["names"] if name in known}}
