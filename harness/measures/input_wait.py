"""How long each step waited for its batch, where a loader of MXNet's brings them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from harness.measures import Measure, from_samples
from harness.planning.plan import Arm
from harness.statistics.series import BoundedSeries
from harness.vocabulary.events import Event, Samples
from harness.vocabulary.quantities import Quantity


class InputWait(Measure):
    """``input_wait``: seconds in the DataLoader or DataIter, a step, after the warm-up; none without one."""

    name: ClassVar[str] = "input_wait"
    hears: ClassVar[tuple[type[Event], ...]] = (Samples,)

    def __init__(self, arm: Arm) -> None:
        super().__init__(arm)
        self._waited: dict[str, BoundedSeries] = {}
        self._seen: set[str] = set()

    def add(self, event: Event) -> None:
        assert isinstance(event, Samples)
        waited = self._waited.setdefault(event.subject, BoundedSeries())
        if any(event.waited):
            self._seen.add(event.subject)
        if event.first >= self.arm.workload.warmup:
            for seconds in event.waited:
                waited.add(seconds)

    def quantities(self) -> Iterable[Quantity]:
        for role, waited in sorted(self._waited.items()):
            if role in self._seen:
                yield from_samples("input_wait", "s", waited.points, role, stride=waited.stride)
            else:
                note = "no gluon DataLoader and no DataIter was seen"
                yield Quantity("input_wait", "s", None, subject=role, note=note)
