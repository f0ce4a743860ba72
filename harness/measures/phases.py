"""Where each worker's time goes: computing, sharing gradients, waiting for the last one."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from harness.measures import Measure, from_samples
from harness.planning.plan import Arm
from harness.statistics.series import BoundedSeries
from harness.vocabulary.events import Event, Spawned
from harness.vocabulary.events import Phases as PhasesEvent
from harness.vocabulary.quantities import Quantity


class _Worker:
    def __init__(self) -> None:
        self.compute, self.push_pull, self.utilisation = BoundedSeries(), BoundedSeries(), BoundedSeries()
        self.wait, self.last = BoundedSeries(), BoundedSeries()

    def add(self, event: PhasesEvent) -> None:
        busy = 0.0
        for began, computed, ended in zip(event.began, event.computed, event.ended, strict=True):
            self.compute.add(computed - began)
            self.push_pull.add(ended - computed)
            busy += computed - began
        self.utilisation.add(busy / (event.ended[-1] - event.began[0]))


class Phases(Measure):
    """A step computes until its gradients are there, then pushes and pulls (allreduces, with Horovod).

    ``wait_time`` is the part of the latter in which the last worker still computed, where workers keep in step.
    ``utilisation`` is computing time over wall time, a sample a window. ``was_last`` is 1 for the steps in which the
    worker's gradients came last.
    """

    name: ClassVar[str] = "phases"
    hears: ClassVar[tuple[type[Event], ...]] = (PhasesEvent, Spawned)

    def __init__(self, arm: Arm) -> None:
        super().__init__(arm)
        self._workers = {name: _Worker() for name in arm.workers}
        self._computed: dict[int, dict[str, float]] = {}

    def add(self, event: Event) -> None:
        if isinstance(event, Spawned):
            self._forget()
            return
        assert isinstance(event, PhasesEvent)
        if event.first < self.arm.workload.warmup:
            return
        self._workers[event.subject].add(event)
        if self.arm.synchronous:
            for step, computed in enumerate(event.computed, event.first):
                self._meet(step, event.subject, computed)

    def _forget(self) -> None:
        """A process that takes another's place takes steps again, which others have long taken."""
        self._computed.clear()

    def _meet(self, step: int, role: str, computed: float) -> None:
        """Once every worker has told of a step, say who was last; workers that keep in step are never far apart."""
        known = self._computed.setdefault(step, {})
        known[role] = computed
        if len(known) < len(self._workers):
            return
        last = max(known.values())
        for name, worker in self._workers.items():
            worker.wait.add(last - known[name])
            worker.last.add(float(known[name] == last))
        del self._computed[step]

    def quantities(self) -> Iterable[Quantity]:
        if not self.arm.workload.phases:
            note = "steps have no parts with times of their own without workload.phases: true"
            yield Quantity("utilisation", "fraction", None, note=note)
            return
        for name, worker in self._workers.items():
            yield _sampled("compute_time", "s/step", worker.compute, name)
            yield _sampled("push_pull_time", "s/step", worker.push_pull, name)
            yield _sampled("utilisation", "fraction", worker.utilisation, name)
            if self.arm.synchronous:
                yield _sampled("wait_time", "s/step", worker.wait, name)
                yield _share("was_last", worker.last, name)


def _sampled(name: str, unit: str, series: BoundedSeries, role: str) -> Quantity:
    return from_samples(name, unit, series.points, role, stride=series.stride)


def _share(name: str, series: BoundedSeries, role: str) -> Quantity:
    points = tuple(series.points)
    if not points:
        return Quantity(name, "fraction", None, subject=role, note="no step after the warm-up was taken by all workers")
    mean = sum(points) / len(points)
    return Quantity(name, "fraction", mean, series.count, subject=role, samples=points, stride=series.stride)
