"""How much of what it never saw the network knows in the end."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from harness.measures import Measure
from harness.planning.plan import Arm
from harness.vocabulary.events import Event, Examined
from harness.vocabulary.quantities import Quantity


class Accuracy(Measure):
    """``accuracy``: share of the samples held back from training that worker 0 labels rightly after its last step."""

    name: ClassVar[str] = "accuracy"
    hears: ClassVar[tuple[type[Event], ...]] = (Examined,)

    def __init__(self, arm: Arm) -> None:
        super().__init__(arm)
        self._examined: Examined | None = None

    def add(self, event: Event) -> None:
        assert isinstance(event, Examined)
        self._examined = event

    def quantities(self) -> Iterable[Quantity]:
        if self.arm.workload.script is not None:
            yield Quantity("accuracy", "fraction", None, note="a script examines what it has trained itself")
        elif not self.arm.workload.held_back:
            yield Quantity("accuracy", "fraction", None, note="nothing is held back without workload.held_back")
        elif self._examined is None:
            yield Quantity("accuracy", "fraction", None, note="not all workers trained to the end")
        else:
            share = self._examined.right / self._examined.samples
            yield Quantity("accuracy", "fraction", share, self._examined.samples)
