"""Samples a second and seconds a sample, over windows closed by a wait, warm-up excluded."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from typing import ClassVar

from harness.measures import Measure, from_samples
from harness.planning.plan import Arm
from harness.statistics.series import BoundedSeries
from harness.vocabulary.events import Event, Healed, Injected, Window
from harness.vocabulary.quantities import Quantity


class _Windows:
    """Windows of one worker: when each ended, and its seconds a sample."""

    def __init__(self) -> None:
        self.ends, self.costs, self.lengths = BoundedSeries(), BoundedSeries(), BoundedSeries()

    def add(self, window: Window, batch_size: int) -> None:
        self.ends.add(window.t)
        self.costs.add(window.seconds / (window.steps * batch_size))
        self.lengths.add(window.seconds)

    def rate_at(self, t: float) -> float:
        """Samples a second at a time: those of the window that spans it or comes next, none after the last."""
        index = bisect_left(self.ends.points, t)
        return 1 / self.costs.points[index] if index < len(self.ends.points) else 0.0


class Throughput(Measure):
    """For the job: at the middle of each window, the rates of all workers added up; also within faults only."""

    name: ClassVar[str] = "throughput"
    hears: ClassVar[tuple[type[Event], ...]] = (Window, Injected, Healed)

    def __init__(self, arm: Arm) -> None:
        super().__init__(arm)
        self._whole: dict[str, _Windows] = {}
        self._faulted: dict[str, _Windows] = {}
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
        self._add(self._whole, window)
        if self._active and window.t - window.seconds >= self._changed:
            self._add(self._faulted, window)

    def _add(self, workers: dict[str, _Windows], window: Window) -> None:
        if window.subject not in workers:
            workers[window.subject] = _Windows()
        workers[window.subject].add(window, self.arm.workload.batch_size)

    def quantities(self) -> Iterable[Quantity]:
        rates, stride = _job_rates(self._whole)
        yield from_samples("throughput", "samples/s", rates, stride=stride)
        yield from_samples("seconds_per_sample", "s/sample", [1 / rate for rate in rates], stride=stride)
        for role, windows in sorted(self._whole.items()) if len(self._whole) > 1 else ():
            yield from_samples("throughput", "samples/s", [1 / cost for cost in windows.costs.points], role)
        if self.arm.schedule:
            missing = "no window lies wholly within a fault"
            rates, stride = _job_rates(self._faulted)
            yield from_samples("throughput_in_fault", "samples/s", rates, note=missing, stride=stride)


def _job_rates(workers: dict[str, _Windows]) -> tuple[list[float], int]:
    """Rates of the job, a sample for each window of the worker that has most, and the windows in a sample."""
    if not workers:
        return [], 1
    leader = max(workers.values(), key=lambda windows: windows.ends.count)
    middles = [end - length / 2 for end, length in zip(leader.ends.points, leader.lengths.points, strict=True)]
    return [sum(windows.rate_at(t) for windows in workers.values()) for t in middles], leader.ends.stride
