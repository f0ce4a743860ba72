"""How long each worker takes until it can train."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from harness.measures import Measure
from harness.planning.plan import Arm
from harness.vocabulary.events import Event, Ready, Spawned
from harness.vocabulary.quantities import Quantity


class StartUp(Measure):
    """``start_up``: seconds from a worker's first process to its network, `import mxnet` included.

    Not available where the scenario says ``quick_start``.
    """

    name: ClassVar[str] = "start_up"
    hears: ClassVar[tuple[type[Event], ...]] = (Spawned, Ready)

    def __init__(self, arm: Arm) -> None:
        super().__init__(arm)
        self._spawned: dict[str, float] = {}
        self._seconds: dict[str, float] = {}

    def add(self, event: Event) -> None:
        if isinstance(event, Spawned):
            self._spawned.setdefault(event.subject, event.t)
        elif event.subject in self._spawned:
            self._seconds.setdefault(event.subject, event.t - self._spawned[event.subject])

    def quantities(self) -> Iterable[Quantity]:
        for name in self.arm.workers:
            seconds, note = self._seconds.get(name), "it was never ready"
            if self.arm.quick_start:
                seconds, note = None, "quick_start leaves most of it out"
            known = seconds is not None
            yield Quantity("start_up", "s", seconds, int(known), subject=name, note="" if known else note)
