"""How long training took in all, with every fault and wait in it; medians of windows do not show a single stall."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from harness.measures import Measure
from harness.planning.plan import Arm
from harness.vocabulary.events import Done, Event, Started
from harness.vocabulary.quantities import Quantity


class Duration(Measure):
    """Seconds from the first credit to the last worker's last step."""

    name: ClassVar[str] = "duration"
    hears: ClassVar[tuple[type[Event], ...]] = (Started, Done)

    def __init__(self, arm: Arm) -> None:
        super().__init__(arm)
        self._began = 0.0
        self._done: dict[str, float] = {}

    def add(self, event: Event) -> None:
        if isinstance(event, Started):
            self._began = event.t
        else:
            self._done[event.subject] = event.t

    def quantities(self) -> Iterable[Quantity]:
        if self.arm.turn:
            yield Quantity("training_time", "s", None, note="time of other arms' turns would be in it")
            return
        if set(self._done) != set(self.arm.workers):
            yield Quantity("training_time", "s", None, note="not all workers trained to the end")
            return
        yield Quantity("training_time", "s", max(self._done.values()) - self._began, 1)
