"""Updates that automatic mixed precision left out, because a gradient overflowed at the loss scale of the step."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from harness.measures import Measure
from harness.planning.plan import Arm
from harness.vocabulary.events import Event, Overflowed, Ready
from harness.vocabulary.quantities import Quantity


class Overflows(Measure):
    """``overflows``: steps without an update, for each worker, where AMP scales losses; ``note``: the last of them."""

    name: ClassVar[str] = "overflows"
    hears: ClassVar[tuple[type[Event], ...]] = (Ready, Overflowed)

    def __init__(self, arm: Arm) -> None:
        super().__init__(arm)
        self._count: dict[str, int] = {}
        self._note: dict[str, str] = {}

    def add(self, event: Event) -> None:
        role = event.subject
        self._count.setdefault(role, 0)
        if isinstance(event, Overflowed):
            self._count[role] += 1
            self._note[role] = f"last at step {event.step}, at a loss scale of {event.scale:g}"

    def quantities(self) -> Iterable[Quantity]:
        amp = self.arm.workload.amp
        if amp is None or amp.loss_scaling is False:
            return
        for role, count in sorted(self._count.items()):
            yield Quantity("overflows", "steps", count, 1, subject=role, note=self._note.get(role, ""))
