"""Time of single steps, each closed by a wait (only where the scenario asks for ``sync_every: 1``)."""

from __future__ import annotations

from collections.abc import Iterable
from statistics import median
from typing import ClassVar

from harness.measures import Measure
from harness.planning.plan import Arm
from harness.statistics.series import CAPACITY, Reservoir
from harness.statistics.summary import Summary, quantile, summarize
from harness.vocabulary.events import Event, Step
from harness.vocabulary.quantities import Quantity

_NOT_ALL = f"of more than {CAPACITY} steps some are kept, which tell no interval; repeats do"
_OF_A_TAIL = "steps of one run tell no interval of a tail; repeats do"


class Latency(Measure):
    """Median, with its interval, and 99th percentile of synchronised steps, per worker."""

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
            in_order = steps.count == len(steps.values)
            half = summarize(steps.values) if in_order else Summary(steps.count, median(steps.values), note=_NOT_ALL)
            yield Quantity("step_latency_p50", "s", half.median, half.n, half.low, half.high, role, half.note)
            late = quantile(steps.values, 0.99)
            yield Quantity("step_latency_p99", "s", late, steps.count, subject=role, note=_OF_A_TAIL)
