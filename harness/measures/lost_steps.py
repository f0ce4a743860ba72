"""Steps that a crash undid: those beyond the checkpoint from which a worker went on."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from harness.measures import Measure
from harness.planning.plan import Arm
from harness.vocabulary.events import Event, Resumed, Window
from harness.vocabulary.quantities import Quantity


class LostSteps(Measure):
    """``lost_steps``: those that resumed workers had taken beyond their checkpoints, added up."""

    name: ClassVar[str] = "lost_steps"
    hears: ClassVar[tuple[type[Event], ...]] = (Window, Resumed)

    def __init__(self, arm: Arm) -> None:
        super().__init__(arm)
        self._reached: dict[str, int] = {}
        self._lost: list[int] = []

    def add(self, event: Event) -> None:
        reached = self._reached.get(event.subject, 0)
        if isinstance(event, Window):
            if event.first >= self.arm.workload.warmup:
                self._reached[event.subject] = max(reached, event.first + event.steps)
        elif isinstance(event, Resumed):
            self._lost.append(max(0, reached - event.step))

    def quantities(self) -> Iterable[Quantity]:
        checkpoint = self.arm.workload.checkpoint
        if checkpoint is not None and checkpoint.every is not None:
            yield Quantity("lost_steps", "steps", sum(self._lost), len(self._lost))
