"""Updates that the kvstore lost, doubled or misapplied, as the oracle counts them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from harness.measures import Measure
from harness.planning.plan import Arm
from harness.vocabulary.events import Event, Misapplied
from harness.vocabulary.quantities import Quantity

_NAMED = 3


class Updates(Measure):
    """How many rows of parameters showed a number of updates that they should not; ``note`` names the first ones."""

    name: ClassVar[str] = "updates"
    hears: ClassVar[tuple[type[Event], ...]] = (Misapplied,)

    def __init__(self, arm: Arm) -> None:
        super().__init__(arm)
        self._count = 0
        self._first: list[Misapplied] = []

    def add(self, event: Event) -> None:
        assert isinstance(event, Misapplied)
        self._count += 1
        self._first = sorted([*self._first, event], key=lambda event: (event.step, event.subject, event.key, event.of))[
            :_NAMED
        ]

    def quantities(self) -> Iterable[Quantity]:
        if self.arm.workload.training != "oracle":
            return
        note = "; ".join(map(_sentence, self._first))
        yield Quantity("misapplied_updates", "rows", self._count, self._count, note=note)


def _sentence(event: Misapplied) -> str:
    place = f"{event.subject} after step {event.step} in {event.key}"
    shown = "no number" if event.shown is None else f"{event.shown:g}"
    return f"{place}: {shown} updates of {event.of}, not {event.expected}"
