"""Numbers that are none: which was the first, in which step, of whom. Pure."""

from __future__ import annotations

from dataclasses import dataclass, field

from harness.events import Gradients, Loss, NotFinite

_GRADIENT, _LOSS, _PARAMETER = range(3)
"""In the order in which a step has them."""


@dataclass(frozen=True, order=True)
class _Flaw:
    step: int
    rank: int
    role: str
    what: str


@dataclass
class Flaws:
    """All that was told of one arm. In asynchronous reports the earliest step counts, not the first report."""

    _found: list[_Flaw] = field(default_factory=list)

    def add(self, event: Gradients | Loss | NotFinite) -> bool:
        """Take a report into account; whether it is a loss that is not finite."""
        if isinstance(event, NotFinite):
            what = f"the parameter {event.parameter} of {event.role}"
            self._found.append(_Flaw(event.step, _PARAMETER, event.role, what))
        elif isinstance(event, Loss) and None in event.values:
            step = event.first + event.values.index(None)
            self._found.append(_Flaw(step, _LOSS, event.role, f"the loss of {event.role}"))
            return True
        elif isinstance(event, Gradients):
            self._gradients(event)
        return False

    def _gradients(self, event: Gradients) -> None:
        for step, norms in enumerate(event.norms, event.first):
            if None in norms:
                what = f"the gradient of {event.names[norms.index(None)]} of {event.role}"
                self._found.append(_Flaw(step, _GRADIENT, event.role, what))
                return

    @property
    def harmful(self) -> bool:
        """Whether more than a gradient is not finite; one that is left out of every update does no harm."""
        return any(flaw.rank != _GRADIENT for flaw in self._found)

    @property
    def first_step(self) -> int:
        """The first step with a number that is none."""
        return min(self._found).step

    @property
    def role(self) -> str:
        """Whose it was."""
        return min(self._found).role

    def __str__(self) -> str:
        """What was not finite first, and which parameters were in the end."""
        first = min(self._found)
        others = sorted({flaw.what for flaw in self._found if flaw.rank == _PARAMETER} - {first.what})
        more = f"; later {others[0]}" if others else ""
        more += f" and {len(others) - 1} more" if len(others) > 1 else ""
        return f"{first.what} is not finite at step {first.step}{more}"
