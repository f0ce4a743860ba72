"""Samples that count over all the time, with every stall, restart and step done twice in it."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import ClassVar

from harness.measures import Measure
from harness.planning.plan import Arm
from harness.vocabulary.events import Done, Ended, Event, Started, Window
from harness.vocabulary.quantities import Quantity


class _Worker:
    """How far a worker came, and what its windows cost in seconds a step."""

    def __init__(self) -> None:
        self.reached = 0
        self.windows = 0
        self._seconds, self._squares = 0.0, 0.0

    def add(self, window: Window) -> None:
        """Take a window into account."""
        cost = window.seconds / window.steps
        self.reached = max(self.reached, window.first + window.steps)
        self._seconds, self._squares, self.windows = self._seconds + cost, self._squares + cost**2, self.windows + 1

    @property
    def noise(self) -> float:
        """Relative standard error of the mean time of a step; 1 with fewer than two windows."""
        if self.windows < 2:
            return 1.0
        mean = self._seconds / self.windows
        return math.sqrt(max(0.0, self._squares / self.windows - mean**2) / (self.windows - 1)) / mean


class Goodput(Measure):
    """``goodput``: samples of the steps that count over all the time since the first step.

    Its interval is that of the windows' noise.
    """

    name: ClassVar[str] = "goodput"
    hears: ClassVar[tuple[type[Event], ...]] = (Started, Window, Done, Ended)

    def __init__(self, arm: Arm) -> None:
        super().__init__(arm)
        self._workers = {name: _Worker() for name in arm.workers}
        self._began = self._last = 0.0

    def add(self, event: Event) -> None:
        if isinstance(event, Started):
            self._began = event.t
        elif isinstance(event, Ended):
            self._last = event.t if event.outcome == "hung" else self._last
        elif event.subject in self._workers:
            self._last = event.t
            if isinstance(event, Window) and event.first >= self.arm.workload.warmup:
                self._workers[event.subject].add(event)

    def quantities(self) -> Iterable[Quantity]:
        seconds = self._last - self._began
        samples = sum(worker.reached for worker in self._workers.values()) * self.arm.workload.batch_size
        if seconds <= 0 or not samples:
            yield Quantity("goodput", "samples/s", None, note="no window ended")
            return
        rate, noise = samples / seconds, 1.96 * max(worker.noise for worker in self._workers.values())
        windows = sum(worker.windows for worker in self._workers.values())
        yield Quantity("goodput", "samples/s", rate, windows, rate / (1 + noise), rate * (1 + noise))
