"""Slow a process down by stopping it for a share of the time, steered by what was really withheld."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Mapping
from typing import Any, ClassVar

from harness.agent import proc
from harness.agent.children import Child
from harness.agent.faults import Commitment, Fields

SHORTEST_RUN, LONGEST_RUN = 0.005, 0.04
"""Seconds. A process that is stopped often loses more than its time: asked for twice as long, its steps took 2.8 times
as long with runs of 5 ms, and 1.9 times with 40 ms."""

ROUNDS = 20
"""Of a run and a stop each: as many fit into the time so far, so that the share is right whenever it ends."""

MAX_STOP_SECONDS = 0.5


class Commit(Commitment):
    """A throttle on a process. Of two at a time, the later one holds."""

    reports: ClassVar[str] = "throttled"
    exclusive: ClassVar[bool] = True
    ends_with_process: ClassVar[bool] = True

    def __init__(self, child: Child, parameters: Mapping[str, Any]) -> None:
        super().__init__(child, parameters)
        self._throttle = ThrottledProcess(child.pid, child.group, parameters["factor"])

    def begin(self) -> None:
        """Rest while the process is stopped by something else."""
        if proc.state(self.child.pid) == "T":
            self.suspend()

    @property
    def due(self) -> float:  # type: ignore[override]
        return self._throttle.due

    def turn(self) -> None:
        self._throttle.turn()

    def suspend(self) -> None:
        self._throttle.suspend()

    def resume(self) -> None:
        self._throttle.resume()

    def end(self) -> Fields:
        throttle = self._throttle
        elapsed = throttle.release()
        return {
            "factor": throttle.factor,
            "elapsed": round(elapsed, 6),
            "stopped": round(throttle.stopped, 6),
            "cycles": throttle.cycles,
            "witnessed": throttle.witnessed,
            "state": "" if throttle.suspended else proc.settled(throttle.pid, proc.RUNNING, within=0.05),
        }


class ThrottledProcess:
    """Alternates short runs and stops. Call ``turn`` when ``due`` has come; ``release`` ends it.

    Each stop is as long as brings the share of stopped time since the start to ``1 - 1/factor`` at the end of the run
    that follows, so that late wake-ups and slow signals even out.
    """

    def __init__(self, pid: int, group: int, factor: float) -> None:
        self.pid, self._group, self.factor = pid, group, factor
        self._began = time.monotonic()
        self._suspended: float | None = None
        self.due = self._began
        self._stop_began: float | None = None
        self._stop_seen = False
        self.stopped = 0.0
        self.cycles = self.witnessed = 0

    def turn(self) -> None:
        """Stop the process if it runs, continue it if it is stopped, and set the next time."""
        if self._stop_began is None:
            self._stop()
        else:
            self._go_on()

    def release(self) -> float:
        """Let the process run; returns the seconds that the throttle was in force."""
        if self._stop_began is not None:
            self._go_on()
        return (self._suspended or time.monotonic()) - self._began

    @property
    def suspended(self) -> bool:
        """Whether somebody else stops the process now."""
        return self._suspended is not None

    def suspend(self) -> None:
        """Somebody else stops the process: leave it alone, and count none of that time."""
        if self._stop_began is not None:
            self._go_on()
        self._suspended = self._suspended or time.monotonic()
        self.due = float("inf")

    def resume(self) -> None:
        """The process runs again."""
        if self._suspended is not None:
            self._began += time.monotonic() - self._suspended
            self._suspended = None
            self.due = time.monotonic() + self._run()

    def _stop(self) -> None:
        if not self._send(signal.SIGSTOP):
            return
        state = proc.settled(self.pid, proc.STOPPED | proc.GONE, within=0.05)
        self._stop_seen = state == "T"
        self._stop_began = time.monotonic()
        share = 1 - 1 / self.factor
        elapsed = self._stop_began - self._began
        stop = (share * (elapsed + self._run()) - self.stopped) / (1 - share)
        self.due = self._stop_began + min(max(stop, 0.0005), MAX_STOP_SECONDS)

    def _go_on(self) -> None:
        assert self._stop_began is not None
        state = proc.state(self.pid)
        now = time.monotonic()
        self._send(signal.SIGCONT)
        if state not in proc.GONE:
            self.cycles += 1
        if self._stop_seen and state == "T":
            self.witnessed += 1
            self.stopped += now - self._stop_began
        self._stop_began = None
        self.due = now + self._run()

    def _run(self) -> float:
        """How long the process may run at a time."""
        elapsed = time.monotonic() - self._began
        return min(max(elapsed / (ROUNDS * self.factor), SHORTEST_RUN), LONGEST_RUN)

    def _send(self, number: signal.Signals) -> bool:
        try:
            os.killpg(self._group, number)
        except ProcessLookupError:
            self.due = float("inf")
            return False
        return True
