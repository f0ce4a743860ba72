"""Every thread of a process on one processor, and back."""

from __future__ import annotations

import os
from pathlib import Path
from typing import ClassVar

from harness.agent.faults import Commitment, Fields


class Commit(Commitment):
    """The first of the processors that it may use."""

    reports: ClassVar[str] = "pinned"

    def begin(self) -> Fields:
        self._all = os.sched_getaffinity(self.child.pid)
        return self._hold_to({min(self._all)})

    def end(self) -> Fields:
        return self._hold_to(self._all)

    def _hold_to(self, processors: set[int]) -> Fields:
        before = self._shown()
        for task in Path(f"/proc/{self.child.pid}/task").iterdir():
            os.sched_setaffinity(int(task.name), processors)
        return {"before": before, "after": self._shown()}

    def _shown(self) -> list[int]:
        """Of all threads together, by ``Cpus_allowed_list``, as in ``0-1,3``."""
        shown: set[int] = set()
        for status in Path(f"/proc/{self.child.pid}/task").glob("*/status"):
            lines = status.read_text().splitlines()
            allowed = next(line for line in lines if line.startswith("Cpus_allowed_list:")).split()[1]
            for part in allowed.split(","):
                first, _, last = part.partition("-")
                shown |= set(range(int(first), int(last or first) + 1))
        return sorted(shown)
