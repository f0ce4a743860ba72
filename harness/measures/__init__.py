"""Measures: numbers with a unit, computed in one pass over a history. One file each.

A measure hears the events of one arm, in order, and may hold only bounded memory.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from typing import ClassVar

from harness.base import registry
from harness.planning.plan import Arm
from harness.statistics.summary import summarize
from harness.vocabulary.events import Event
from harness.vocabulary.quantities import Quantity


def from_samples(
    name: str, unit: str, samples: Sequence[float], subject: str = "", note: str = "", stride: int = 1
) -> Quantity:
    """The median of samples with its interval; not available without any."""
    if not samples:
        return Quantity(name, unit, None, subject=subject, note=note or "no window after the warm-up")
    found = summarize(samples)
    notes = "; ".join(filter(None, (note, found.note)))
    return Quantity(name, unit, found.median, found.n, found.low, found.high, subject, notes, tuple(samples), stride)


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


def all_measures() -> dict[str, type[Measure]]:
    """Every measure of this package by name."""
    return registry.load(__name__, Measure)
