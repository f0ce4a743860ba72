"""How long a fault holds a job back beyond its own time: until steps are as fast again as before."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from statistics import median
from typing import Any, ClassVar

from harness.measures import Measure, from_samples
from harness.planning.plan import Arm
from harness.statistics.series import Reservoir
from harness.vocabulary.events import Done, Event, Exited, Healed, Injected, Spawned, Window
from harness.vocabulary.quantities import Quantity

STEADY_WINDOWS = 3
MARGIN = 1.25
"""A window is as fast as before when it takes at most so many times the median of those before the first fault."""


class _Pace:
    """Whether one worker is as fast as before: so many fast windows in a row, or no more windows to come."""

    def __init__(self) -> None:
        self._before = Reservoir()
        self._limit: float | None = None
        self._streak = 0
        self._left = False
        self.steady_since = 0.0

    def learn(self, cost: float) -> None:
        """Take a window before the first fault into account, in seconds a step."""
        self._before.add(cost)

    def compare(self, window: Window, cost: float) -> None:
        """Take a window after a fault into account."""
        if self._limit is None:  # a median of thousands, which no later window changes
            self._limit = MARGIN * median(self._before.values) if self._before.values else 0.0
        self._streak = self._streak + 1 if cost <= self._limit else 0
        if self._streak == 1:
            self.steady_since = window.t

    def interrupt(self) -> None:
        """Begin to count anew."""
        self._streak = 0

    def come(self) -> None:
        """A process is there, which may have taken another's place."""
        self._left, self._streak = False, 0

    def leave(self) -> None:
        """It has no more windows to come."""
        self._left = True

    @property
    def known(self) -> bool:
        """Whether it has windows to compare with."""
        return bool(self._before.values)

    @property
    def steady(self) -> bool:
        return self._streak >= STEADY_WINDOWS or self._left


class Recovery(Measure):
    """``recovery_time``: from the end of a fault to the first of three windows as fast as before, of every worker.

    Where faults overlap, from the end of the last one. A sample each time that all faults are over.
    """

    name: ClassVar[str] = "recovery"
    hears: ClassVar[tuple[type[Event], ...]] = (Spawned, Window, Injected, Healed, Exited, Done)

    def __init__(self, arm: Arm) -> None:
        super().__init__(arm)
        self._paces = {name: _Pace() for name in arm.workers}
        self._in_force: set[int] = set()
        self._faulted = False
        self._healed_at: float | None = None
        self._recoveries: list[float] = []
        self._missed = 0
        self._too_early: set[int] = set()
        """Those in force before there was a window to compare with."""

        self._reactions: dict[type[Event], Callable[[Any], None]] = {
            Injected: self._on_injected,
            Healed: self._on_healed,
            Window: self._on_window,
            Spawned: lambda event: self._of_worker(event, _Pace.come),
            Exited: lambda event: self._of_worker(event, _Pace.leave),
            Done: lambda event: self._of_worker(event, _Pace.leave),
        }

    def add(self, event: Event) -> None:
        self._reactions[type(event)](event)

    def _of_worker(self, event: Event, note: Callable[[_Pace], None]) -> None:
        if event.subject in self._paces:
            note(self._paces[event.subject])

    def _on_injected(self, event: Injected) -> None:
        if not self._faulted and not any(pace.known for pace in self._paces.values()):
            self._too_early.add(event.fault)
            return
        self._faulted = True
        self._in_force.add(event.fault)
        self._missed += self._healed_at is not None
        self._healed_at = None

    def _on_healed(self, event: Healed) -> None:
        self._too_early.discard(event.fault)
        if event.fault not in self._in_force:
            return
        self._in_force.discard(event.fault)
        if not self._in_force:
            self._healed_at = event.t
            for pace in self._paces.values():
                pace.interrupt()

    def _on_window(self, window: Window) -> None:
        pace = self._paces.get(window.subject)
        if pace is None or window.first < self.arm.workload.warmup:
            return
        cost = window.seconds / window.steps
        if not self._faulted:
            if not self._too_early:
                pace.learn(cost)
        elif self._healed_at is None or window.t - window.seconds < self._healed_at:
            pace.interrupt()
        else:
            pace.compare(window, cost)
            self._note_recovery(self._healed_at)

    def _note_recovery(self, healed_at: float) -> None:
        """Once all workers are as fast as before, since when; then wait for the next fault."""
        if all(pace.steady for pace in self._paces.values()):
            steady = max(pace.steady_since for pace in self._paces.values())
            self._recoveries.append(max(0.0, steady - healed_at))
            self._healed_at = None

    def quantities(self) -> Iterable[Quantity]:
        if self.arm.schedule:
            yield from_samples("recovery_time", "s", self._recoveries, note=self._note())

    def _note(self) -> str:
        """How often there was no recovery to time; or why there is none at all."""
        missed = self._missed + (self._healed_at is not None)
        total = missed + len(self._recoveries)
        if missed:
            return f"{missed} of {total} times, steps were not as fast again before the next fault or the end"
        if self._recoveries:
            return ""
        return "a fault was in force to the end" if self._in_force else "no fault was healed"
