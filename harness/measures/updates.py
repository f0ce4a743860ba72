"""Updates that the kvstore lost, doubled or misapplied, as the oracle counts them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from harness.events import Event, Misapplied
from harness.measures import Measure, Quantity
from harness.plan import Arm

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
        self._first = sorted([*self._first, event], key=lambda one: (one.step, one.role, one.key, one.of))[:_NAMED]

    def quantities(self) -> Iterable[Quantity]:
        if self.arm.workload.model != "oracle":
            return
        note = "; ".join(_said(one) for one in self._first)
        yield Quantity("misapplied_updates", "rows", self._count, self._count, note=note)


def _said(one: Misapplied) -> str:
    place = f"{one.role} after step {one.step} in {one.key}"
    found = "no number" if one.found is None else f"{one.found:g}"
    return f"{place}: {found} updates of {one.of}, not {one.expected}"
