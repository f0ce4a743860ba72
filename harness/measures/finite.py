"""How far non-finite values spread: parameters that hold one in the end, and the gradient where it began."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from harness.measures import Measure
from harness.planning.plan import Arm
from harness.vocabulary.events import Done, Event, Gradients, NotFinite
from harness.vocabulary.quantities import Quantity


class Finite(Measure):
    """``not_finite``: parameters with a value that is not finite, for each worker, of those it told of.

    ``note`` names the first gradient that was not, where gradients were watched.
    """

    name: ClassVar[str] = "finite"
    hears: ClassVar[tuple[type[Event], ...]] = (Gradients, NotFinite, Done)

    def __init__(self, arm: Arm) -> None:
        super().__init__(arm)
        self._parameters: dict[str, set[str]] = {}
        self._first: dict[str, tuple[int, str]] = {}
        self._whole: set[str] = set()

    def add(self, event: Event) -> None:
        parameters = self._parameters.setdefault(event.subject, set())
        if isinstance(event, Done):
            self._whole.add(event.subject)
        elif isinstance(event, NotFinite):
            parameters.add(event.parameter)
        elif isinstance(event, Gradients):
            for step, norms in enumerate(event.norms, event.first):
                if None in norms:
                    self._first.setdefault(event.subject, (step, event.names[norms.index(None)]))
                    break

    def quantities(self) -> Iterable[Quantity]:
        for role, parameters in sorted(self._parameters.items()):
            step, name = self._first.get(role, (-1, ""))
            first = f"first the gradient of {name} at step {step}" if name else ""
            bound = "" if role in self._whole else "at least: it was ended before all were looked at"
            note = "; ".join(filter(None, (bound, first)))
            if parameters or name:
                yield Quantity("not_finite", "parameters", len(parameters), 1, subject=role, note=note)
