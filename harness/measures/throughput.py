"""Samples a second and seconds a sample, over windows closed by a wait, warm-up excluded."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from harness.events import Event, Healed, Injected, Window
from harness.measures import Measure, Quantity, from_samples
from harness.plan import Arm
from harness.statistics.series import BoundedSeries


class Throughput(Measure):
    """For the job: samples of all workers over a window's time, added up over workers; also within faults only."""

    name: ClassVar[str] = "throughput"
    hears: ClassVar[tuple[type[Event], ...]] = (Window, Injected, Healed)

    def __init__(self, arm: Arm) -> None:
        super().__init__(arm)
        self._whole: dict[str, BoundedSeries] = {}
        self._faulted: dict[str, BoundedSeries] = {}
        self._active = 0
        self._changed = 0.0

    def add(self, event: Event) -> None:
        if isinstance(event, Window):
            self._window(event)
        else:
            self._active += 1 if isinstance(event, Injected) else -1
            self._changed = event.t

    def _window(self, window: Window) -> None:
        if window.first < self.arm.workload.warmup:
            return
        per_sample = window.seconds / (window.steps * self.arm.workload.batch_size)
        self._whole.setdefault(window.role, BoundedSeries()).add(per_sample)
        if self._active and window.t - window.seconds >= self._changed:
            self._faulted.setdefault(window.role, BoundedSeries()).add(per_sample)

    def quantities(self) -> Iterable[Quantity]:
        rates = _job_rates(self._whole)
        yield from_samples("throughput", "samples/s", rates)
        yield from_samples("seconds_per_sample", "s/sample", [1 / rate for rate in rates])
        for role, series in sorted(self._whole.items()) if len(self._whole) > 1 else ():
            yield from_samples("throughput", "samples/s", [1 / point for point in series.points], role)
        if self.arm.schedule:
            missing = "no window lies wholly within a fault"
            yield from_samples("throughput_in_fault", "samples/s", _job_rates(self._faulted), note=missing)


def _job_rates(by_worker: dict[str, BoundedSeries]) -> list[float]:
    """Workers' windows have the same steps, so that the n-th windows of all add up."""
    longest = max((len(series.points) for series in by_worker.values()), default=0)
    return [
        sum(1 / series.points[index] for series in by_worker.values() if index < len(series.points))
        for index in range(longest)
    ]
