"""Processes that compute for nothing beside a role."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from typing import ClassVar

from harness.agent import proc
from harness.agent.faults import Commitment, Fields
from harness.base.process import die_with_parent

_ENDLESS = "while True: pass"


class Commit(Commitment):
    """So many ``processes`` on the processors that a role may use; None is one for each of them."""

    reports: ClassVar[str] = "hogged"

    def begin(self) -> None:
        self._began = time.monotonic()
        self._waited = proc.processor_seconds(self.child.pid)[1]
        processors = os.sched_getaffinity(self.child.pid)

        def prepare() -> None:
            die_with_parent()
            os.sched_setaffinity(0, processors)

        argv = [sys.executable, "-S", "-c", _ENDLESS]
        count = self.parameters["processes"] or len(processors)
        self._processes: list[subprocess.Popen[bytes]] = []
        try:
            for _ in range(count):
                null = subprocess.DEVNULL
                self._processes.append(subprocess.Popen(argv, stdin=null, stdout=null, preexec_fn=prepare))
        except OSError:
            self._end_all()
            raise

    def end(self) -> Fields:
        elapsed = time.monotonic() - self._began
        burnt = sum(proc.processor_seconds(process.pid)[0] for process in self._processes)
        waited = max(0.0, proc.processor_seconds(self.child.pid)[1] - self._waited)
        self._end_all()
        left = sum(proc.state(process.pid) != "" for process in self._processes)
        times = {"elapsed": round(elapsed, 6), "burnt": round(burnt, 6), "waited": round(waited, 6)}
        return {"processes": len(self._processes), **times, "left": left}

    def _end_all(self) -> None:
        for process in self._processes:
            process.kill()
            process.wait()
