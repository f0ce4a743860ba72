"""Whether workers, and the contexts of each, end with the same parameters, bit by bit."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from harness.measures import Measure
from harness.planning.plan import Arm
from harness.vocabulary.events import Digest, Event
from harness.vocabulary.quantities import Quantity


class Weights(Measure):
    """How many different digests of trained parameters there are at the end; ``note`` holds it when there is one."""

    name: ClassVar[str] = "weights"
    hears: ClassVar[tuple[type[Event], ...]] = (Digest,)

    def __init__(self, arm: Arm) -> None:
        super().__init__(arm)
        self._digests: dict[tuple[str, str], str] = {}

    def add(self, event: Event) -> None:
        assert isinstance(event, Digest)
        self._digests[event.subject, event.context] = event.weights

    def quantities(self) -> Iterable[Quantity]:
        silent = [name for name in self.arm.workers if name not in {role for role, _ in self._digests}]
        if silent:
            note = f"{', '.join(silent)} reported no weights"
            yield Quantity("different_weights", "digests", None, len(self._digests), note=note)
            return
        different = sorted(set(self._digests.values()))
        note = (
            different[0]
            if len(different) == 1
            else ", ".join(f"{self._name(*copy)} {d[:12]}" for copy, d in self._digests.items())
        )
        yield Quantity("different_weights", "digests", len(different), len(self._digests), note=note)

    def _name(self, role: str, context: str) -> str:
        return role if len(self.arm.workload.contexts) == 1 else f"{role} on {context}"
