"""Processes that compute for nothing beside a role."""

from __future__ import annotations

import os
import subprocess
import sys
import time

from harness.agent import proc
from harness.agent.children import die_with_parent

_ENDLESS = "while True: pass"


class CpuHog:
    """So many processes on the processors that a role may use; 0 is one for each of them."""

    def __init__(self, pid: int, processes: int) -> None:
        self._pid, self._began = pid, time.monotonic()
        self._waited = proc.processor_seconds(pid)[1]
        processors = os.sched_getaffinity(pid)

        def prepare() -> None:
            die_with_parent()
            os.sched_setaffinity(0, processors)

        argv = [sys.executable, "-S", "-c", _ENDLESS]
        count = processes or len(processors)
        self._processes = [
            subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, preexec_fn=prepare)
            for _ in range(count)
        ]

    def end(self) -> dict[str, float]:
        """End it; the fields of `Hogged`."""
        elapsed = time.monotonic() - self._began
        burnt = sum(proc.processor_seconds(process.pid)[0] for process in self._processes)
        waited = max(0.0, proc.processor_seconds(self._pid)[1] - self._waited)
        for process in self._processes:
            process.kill()
            process.wait()
        left = sum(proc.state(process.pid) != "" for process in self._processes)
        times = {"elapsed": round(elapsed, 6), "burnt": round(burnt, 6), "waited": round(waited, 6)}
        return {"processes": len(self._processes), **times, "left": left}
