"""A limit on the private memory of a process (RLIMIT_DATA), set from outside."""

from __future__ import annotations

import resource
from typing import ClassVar

from harness.agent import proc
from harness.agent.faults import Commitment, Fields


class Commit(Commitment):
    """No more than so many ``bytes``; afterwards the agent's own limit again, which its children start with.

    Only the soft limit is set, so that it can be lifted without privileges.
    """

    reports: ClassVar[str] = "limited"
    exclusive: ClassVar[bool] = True

    def begin(self) -> Fields:
        return self._limit(self.parameters["bytes"], ended=False)

    def end(self) -> Fields:
        return self._limit(resource.getrlimit(resource.RLIMIT_DATA)[0], ended=True)

    def _limit(self, soft: int, ended: bool) -> Fields:
        pid = self.child.pid
        before, held = proc.data_limit(pid)
        _, hard = resource.prlimit(pid, resource.RLIMIT_DATA)
        resource.prlimit(pid, resource.RLIMIT_DATA, (soft, hard))
        after, _ = proc.data_limit(pid)
        return {"pid": pid, "ended": ended, "before": before, "after": after, "held": held}
