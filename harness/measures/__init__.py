"""Measures: numbers with a unit, computed in one pass over a history. One file each.

A measure hears the events of one arm, in order, and may hold only bounded memory.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from harness import registry
from harness.events import Ended, Event
from harness.plan import Arm
from harness.receipts import Receipt
from harness.statistics.summary import summarize


@dataclass(frozen=True)
class Quantity:
    """A number with its unit, sample count and 95 % interval. ``value`` None is "not available", ``note`` says why."""

    name: str
    unit: str
    value: float | None
    n: int = 0
    low: float | None = None
    high: float | None = None
    role: str = ""
    note: str = ""
    samples: Sequence[float] = field(default=(), repr=False)
    stride: int = 1
    """How many windows or steps make one sample; more than 1 only in very long runs."""


def from_samples(
    name: str, unit: str, samples: Sequence[float], role: str = "", note: str = "", stride: int = 1
) -> Quantity:
    """The median of samples with its interval; not available without any."""
    if not samples:
        return Quantity(name, unit, None, role=role, note=note or "no window after the warm-up")
    summary = summarize(samples)
    return Quantity(
        name, unit, summary.median, summary.n, summary.low, summary.high, role, note, tuple(samples), stride
    )


class Measure(ABC):
    """Base of all measures; ``hears`` are the events that ``add`` gets."""

    name: ClassVar[str]
    hears: ClassVar[tuple[type[Event], ...]]

    def __init__(self, arm: Arm) -> None:
        self.arm = arm

    @abstractmethod
    def add(self, event: Event) -> None:
        """Take one event into account."""

    @abstractmethod
    def quantities(self) -> Iterable[Quantity]:
        """What was measured, or why it is not available."""


@dataclass(frozen=True)
class ArmMeasures:
    """All that checks may know of one arm."""

    arm: str
    ended: Ended | None
    receipts: Sequence[Receipt]
    quantities: Mapping[tuple[str, str], Quantity]

    def get(self, name: str, role: str = "") -> Quantity:
        """The quantity of that name, for the whole arm or for one role."""
        return self.quantities.get((name, role)) or Quantity(name, "", None, role=role, note="was not measured")

    def of_roles(self, name: str) -> Sequence[Quantity]:
        """The quantities of that name, one a role; a single one that is not available where no role has any."""
        found = [quantity for (known, role), quantity in self.quantities.items() if known == name and role]
        return found or [self.get(name)]

    def worst(self, name: str) -> Quantity:
        """The largest of that name over all roles."""
        return max(self.of_roles(name), key=lambda quantity: quantity.value or float("-inf"))


def all_measures() -> dict[str, type[Measure]]:
    """Every measure of this package by name."""
    return registry.load(__name__, Measure)  # type: ignore[type-abstract]
