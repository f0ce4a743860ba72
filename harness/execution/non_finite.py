"""Values that are not finite: which was the first, in which step, of whom. Pure."""

from __future__ import annotations

from dataclasses import dataclass, field

from harness.vocabulary.events import Gradients, Loss, NotFinite

_GRADIENT, _LOSS, _PARAMETER = range(3)
"""In the order in which a step has them."""


@dataclass(frozen=True, order=True)
class _NonFiniteValue:
    step: int
    stage: int
    role: str
    what: str


@dataclass
class NonFiniteValues:
    """All that was reported of one arm. In asynchronous reports the earliest step counts, not the first report."""

    _values: list[_NonFiniteValue] = field(default_factory=list)

    def add(self, event: Gradients | Loss | NotFinite) -> bool:
        """Take a report into account; returns whether it holds a loss that is not finite."""
        if isinstance(event, NotFinite):
            self._note(event.step, _PARAMETER, event.subject, f"the parameter {event.parameter}")
        elif isinstance(event, Loss) and None in event.values:
            self._note(event.first + event.values.index(None), _LOSS, event.subject, "the loss")
            return True
        elif isinstance(event, Gradients):
            self._gradients(event)
        return False

    def _gradients(self, event: Gradients) -> None:
        for step, norms in enumerate(event.norms, event.first):
            if None in norms:
                self._note(step, _GRADIENT, event.subject, f"the gradient of {event.names[norms.index(None)]}")
                return

    def _note(self, step: int, stage: int, role: str, what: str) -> None:
        self._values.append(_NonFiniteValue(step, stage, role, f"{what} of {role}"))

    @property
    def harmful(self) -> bool:
        """Whether more than a gradient is not finite; one that is left out of every update does no harm."""
        return any(value.stage != _GRADIENT for value in self._values)

    @property
    def first_step(self) -> int:
        """The first step with a value that is not finite; ValueError where there is none."""
        return min(self._values).step

    @property
    def role(self) -> str:
        """Whose the first one was; ValueError where there is none."""
        return min(self._values).role

    def __str__(self) -> str:
        """What was not finite first, and which parameters were in the end."""
        first = min(self._values)
        others = sorted({value.what for value in self._values if value.stage == _PARAMETER} - {first.what})
        more = f"; later {others[0]}" if others else ""
        more += f" and {len(others) - 1} more" if len(others) > 1 else ""
        seen = ", when it was looked at" if first.stage == _PARAMETER else ""
        return f"{first.what} is not finite at step {first.step}{seen}{more}"
