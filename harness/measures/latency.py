"""Time of single steps, each closed by a wait (only where the scenario asks for ``sync_every: 1``)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from harness.measures import Measure
from harness.planning.plan import Arm
from harness.statistics.series import Reservoir
from harness.statistics.summary import quantile
from harness.vocabulary.events import Event, Step
from harness.vocabulary.quantities import Quantity


class Latency(Measure):
    """Median and 99th percentile of synchronised steps, per worker."""

    name: ClassVar[str] = "latency"
    hears: ClassVar[tuple[type[Event], ...]] = (Step,)

    def __init__(self, arm: Arm) -> None:
        super().__init__(arm)
        self._steps: dict[str, Reservoir] = {}

    def add(self, event: Event) -> None:
        assert isinstance(event, Step)
        for offset, seconds in enumerate(event.seconds):
            if event.first + offset >= self.arm.workload.warmup:
                self._steps.setdefault(event.subject, Reservoir()).add(seconds)

    def quantities(self) -> Iterable[Quantity]:
        if self.arm.workload.sync_every != 1:
            yield Quantity("step_latency_p50", "s", None, note="steps have no time of their own without sync_every: 1")
            return
        for role, steps in sorted(self._steps.items()):
            for name, fraction in (("step_latency_p50", 0.5), ("step_latency_p99", 0.99)):
                yield Quantity(name, "s", quantile(steps.values, fraction), steps.count, subject=role)
