"""What a fault cost beyond its own time: until steps are as fast again, steps done twice, useful samples in all."""

from __future__ import annotations

import math
from collections.abc import Iterable
from statistics import median
from typing import ClassVar

from harness.measures import Measure, from_samples
from harness.planning.plan import Arm
from harness.statistics.series import Reservoir
from harness.vocabulary.events import Done, Event, Exited, Healed, Injected, Resumed, Spawned, Started, Window
from harness.vocabulary.quantities import Quantity

STEADY_WINDOWS = 3
MARGIN = 1.25
"""A window is as fast as before when it takes at most so many times the median of those before the first fault."""


class _Worker:
    """The windows of one worker: those before any fault, and how many fast ones came in a row since."""

    def __init__(self) -> None:
        self.before = Reservoir()
        self.streak = 0
        self.steady_since = 0.0
        self.reached = 0
        self.done = self.gone = False
        self.seconds, self.squares, self.windows = 0.0, 0.0, 0

    def add(self, window: Window, healthy: bool) -> None:
        cost = window.seconds / window.steps
        self.reached = max(self.reached, window.first + window.steps)
        self.seconds, self.squares, self.windows = self.seconds + cost, self.squares + cost**2, self.windows + 1
        if healthy:
            self.before.add(cost)
            return
        fast = bool(self.before.values) and cost <= MARGIN * median(self.before.values)
        self.streak = self.streak + 1 if fast else 0
        if self.streak == 1:
            self.steady_since = window.t

    @property
    def steady(self) -> bool:
        return self.streak >= STEADY_WINDOWS or self.done or self.gone

    @property
    def noise(self) -> float:
        """Relative standard error of the mean time of a step; 1 with fewer than two windows."""
        if self.windows < 2:
            return 1.0
        mean = self.seconds / self.windows
        return math.sqrt(max(0.0, self.squares / self.windows - mean**2) / (self.windows - 1)) / mean


class Recovery(Measure):
    """``recovery_time``: from the end of a fault to the first of three windows as fast as before, of every worker.

    ``lost_steps``: steps that a resumed worker had taken beyond its checkpoint. ``goodput``: samples of the steps that
    count over all the time since the first step; its interval is that of the windows' noise.
    """

    name: ClassVar[str] = "recovery"
    hears: ClassVar[tuple[type[Event], ...]] = (
        Started, Spawned, Window, Injected, Healed, Resumed, Exited, Done,
    )  # fmt: skip

    def __init__(self, arm: Arm) -> None:
        super().__init__(arm)
        self._workers = {name: _Worker() for name in arm.workers}
        self._began = self._last = 0.0
        self._active: set[int] = set()
        self._faulted = False
        self._healed_at: float | None = None
        self._recoveries: list[float] = []
        self._lost: list[float] = []

    def add(self, event: Event) -> None:
        worker = self._workers.get(event.subject)
        if isinstance(event, Started):
            self._began = event.t
        elif isinstance(event, Injected):
            self._faulted = True
            self._active.add(event.fault)
            self._healed_at = None
        elif isinstance(event, Healed):
            self._heal(event)
        elif isinstance(event, Window) and worker is not None:
            self._window(event, worker)
        elif isinstance(event, Spawned) and worker is not None:
            worker.gone = worker.done = False
            worker.streak = 0
        elif isinstance(event, Resumed) and worker is not None:
            self._lost.append(max(0, worker.reached - event.step))
        elif isinstance(event, Exited | Done) and worker is not None:
            worker.gone = isinstance(event, Exited) or worker.gone
            worker.done = worker.done or isinstance(event, Done)
            if isinstance(event, Done):
                self._last = event.t

    def _heal(self, event: Healed) -> None:
        self._active.discard(event.fault)
        if not self._active:
            self._healed_at = event.t
            for worker in self._workers.values():
                worker.streak = 0

    def _window(self, window: Window, worker: _Worker) -> None:
        self._last = window.t
        if window.first < self.arm.workload.warmup:
            return
        worker.add(window, not self._faulted)
        if self._healed_at is None or window.t - window.seconds < self._healed_at:
            worker.streak = 0
        elif all(one.steady for one in self._workers.values()):
            steady = max(one.steady_since for one in self._workers.values())
            self._recoveries.append(max(0.0, steady - self._healed_at))
            self._healed_at = None

    def quantities(self) -> Iterable[Quantity]:
        if self.arm.schedule:
            note = "" if self._recoveries else self._why_none()
            yield from_samples("recovery_time", "s", self._recoveries, note=note)
        if self.arm.workload.checkpoint is not None:
            yield Quantity("lost_steps", "steps", sum(self._lost), len(self._lost))
        yield self._goodput()

    def _why_none(self) -> str:
        if self._healed_at is not None:
            return "steps did not become as fast again before the end"
        return "a fault was in force to the end" if self._active else "no fault was healed"

    def _goodput(self) -> Quantity:
        seconds = self._last - self._began
        samples = sum(worker.reached for worker in self._workers.values()) * self.arm.workload.batch_size
        if seconds <= 0 or not samples:
            return Quantity("goodput", "samples/s", None, note="no window ended")
        rate, noise = samples / seconds, 1.96 * max(worker.noise for worker in self._workers.values())
        windows = sum(worker.windows for worker in self._workers.values())
        return Quantity("goodput", "samples/s", rate, windows, rate / (1 + noise), rate * (1 + noise))
