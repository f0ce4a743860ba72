"""The loss curve and where it ends."""

from __future__ import annotations

from collections.abc import Iterable
from statistics import mean
from typing import ClassVar

from harness.checks import TAIL
from harness.measures import Measure, from_samples
from harness.planning.plan import Arm
from harness.statistics.series import BoundedSeries
from harness.vocabulary.events import Event
from harness.vocabulary.events import Loss as LossEvent
from harness.vocabulary.quantities import Quantity


class Loss(Measure):
    """``loss_curve``: mean over workers of each step's loss. ``final_loss``: over the last fifth of all steps."""

    name: ClassVar[str] = "loss"
    hears: ClassVar[tuple[type[Event], ...]] = (LossEvent,)

    def __init__(self, arm: Arm) -> None:
        super().__init__(arm)
        self._workers: dict[str, BoundedSeries] = {}

    def add(self, event: Event) -> None:
        assert isinstance(event, LossEvent)
        if event.subject not in self._workers:
            self._workers[event.subject] = BoundedSeries()
        series = self._workers[event.subject]
        series.truncate(event.first)  # a worker that was started again goes back
        for value in event.values:
            series.add(float("nan") if value is None else value)

    def quantities(self) -> Iterable[Quantity]:
        shortest = min((len(series.points) for series in self._workers.values()), default=0)
        curve = [mean(series.points[step] for series in self._workers.values()) for step in range(shortest)]
        last = curve[-1] if curve else None
        yield Quantity("loss_curve", "", last, len(curve), samples=tuple(curve), note="" if curve else "no step ended")
        counts = [self._workers[name].count if name in self._workers else 0 for name in self.arm.workers]
        if min(counts) < self.arm.workload.steps:
            yield Quantity("final_loss", "", None, note="not all workers trained to the end")
            return
        yield from_samples("final_loss", "", curve[-max(1, len(curve) // TAIL) :])
