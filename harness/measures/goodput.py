"""Samples that count over all the time, with every stall, restart and step done twice in it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from statistics import median
from typing import ClassVar

from harness.measures import Measure
from harness.planning.plan import Arm
from harness.statistics.series import BoundedSeries
from harness.statistics.summary import summarize
from harness.vocabulary.events import Done, Ended, Event, Samples, Started, Window
from harness.vocabulary.quantities import Quantity


@dataclass
class _Told:
    """Samples of the steps of a script's worker, each step once; ``unknown``: whether nobody knows those of some."""

    steps: int = 0
    samples: int = 0
    unknown: bool = False

    def add(self, event: Samples) -> None:
        fresh = event.counts[max(0, self.steps - event.first) :]
        self.samples += sum(count or 0 for count in fresh)
        self.unknown |= None in fresh
        self.steps = max(self.steps, event.first + len(event.counts))


class Goodput(Measure):
    """``goodput``: samples of the steps that count over all the time since the first step.

    Its interval is that of the pace of the worker with most windows: what it would be if steps took longer or shorter,
    while what came on top of them (stalls, restarts, the end) stays what it was in this run.
    """

    name: ClassVar[str] = "goodput"
    hears: ClassVar[tuple[type[Event], ...]] = (Started, Window, Samples, Done, Ended)

    def __init__(self, arm: Arm) -> None:
        super().__init__(arm)
        self._reached = dict.fromkeys(arm.workers, 0)
        self._costs = {name: BoundedSeries() for name in arm.workers}
        self._began = self._last = 0.0
        self._told = {name: _Told() for name in arm.workers}
        self._again = False

    def add(self, event: Event) -> None:
        if isinstance(event, Started):
            self._began = event.t
        elif isinstance(event, Ended):
            self._last = event.t if event.outcome == "hung" else self._last
        elif isinstance(event, Samples):
            self._told[event.subject].add(event)
        elif event.subject in self._reached:
            self._last = event.t
            if isinstance(event, Window) and event.first >= self.arm.workload.warmup:
                self._again |= event.first < self._reached[event.subject]
                self._reached[event.subject] = max(self._reached[event.subject], event.first + event.steps)
                self._costs[event.subject].add(event.seconds / event.steps)

    def quantities(self) -> Iterable[Quantity]:
        if self.arm.turn:
            yield Quantity("goodput", "samples/s", None, note="time of other arms' turns would be in it")
            return
        if self._again and self.arm.workload.script is not None:
            note = "a script that is started again counts from 0, so that nobody knows which steps it did twice"
            yield Quantity("goodput", "samples/s", None, note=note)
            return
        seconds = self._last - self._began
        samples = self._samples()
        if samples is None:
            yield Quantity("goodput", "samples/s", None, note="the script's batches were not seen")
            return
        if seconds <= 0 or not samples:
            yield Quantity("goodput", "samples/s", None, note="no window ended")
            return
        rates, stride = self._rates(samples, seconds)
        pace = summarize(rates)
        interval = (pace.n, pace.low, pace.high, "", pace.note)
        yield Quantity("goodput", "samples/s", samples / seconds, *interval, tuple(rates), stride)

    def _samples(self) -> int | None:
        """Of all steps that count: by the plan, or as a script's were seen; None where not all of them were."""
        job = self.arm.workload
        if job.batch_size is not None:
            return sum(job.samples_of(0, steps) or 0 for steps in self._reached.values())
        if any(told.unknown or told.steps < self._reached[name] for name, told in self._told.items()):
            return None
        return sum(told.samples for told in self._told.values())

    def _rates(self, samples: float, seconds: float) -> tuple[list[float], int]:
        """What it would be at the pace of each window."""
        name, costs = max(self._costs.items(), key=lambda item: len(item[1].points))
        usual = median(costs.points) if costs.points else 1.0
        training = min(seconds, self._reached[name] * usual)
        return [samples / (seconds + training * (cost / usual - 1)) for cost in costs.points], costs.stride
