"""What measures give and checks judge: numbers with unit, sample count and interval."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from harness.vocabulary.events import Ended
from harness.vocabulary.receipts import Receipt


@dataclass(frozen=True)
class Quantity:
    """A number with its unit, sample count and 95 % interval. ``value`` None is "not available", ``note`` says why.

    ``subject`` is the role or host that it is of, "" for the whole arm.
    """

    name: str
    unit: str
    value: float | None
    n: int = 0
    low: float | None = None
    high: float | None = None
    subject: str = ""
    note: str = ""
    samples: Sequence[float] = field(default=(), repr=False)
    stride: int = 1
    """How many windows or steps make one sample; more than 1 only in very long runs."""


@dataclass(frozen=True)
class ArmMeasures:
    """All that checks may know of one arm; ``quantities`` by name and subject.

    ``of``: what it is, ``repeat``: the how manieth time, from 1, and ``seed``: of this one; ``arm`` names both.
    """

    arm: str
    of: str
    repeat: int
    seed: int
    ended: Ended | None
    receipts: Sequence[Receipt]
    quantities: Mapping[tuple[str, str], Quantity]

    def get(self, name: str, subject: str = "") -> Quantity:
        """The quantity of that name, for the whole arm or for one role or host."""
        known = self.quantities.get((name, subject))
        return known or Quantity(name, "", None, subject=subject, note="nothing of it was seen")

    def of_subjects(self, name: str) -> Sequence[Quantity]:
        """The quantities of that name, one a role or host; a single one that is not available where there is none."""
        own = [quantity for (known, subject), quantity in self.quantities.items() if known == name and subject]
        return own or [self.get(name)]

    def worst(self, name: str) -> Quantity:
        """The largest of that name over all roles or hosts."""
        return max(self.of_subjects(name), key=lambda each: float("-inf") if each.value is None else each.value)


def different(units: Collection[str]) -> str:
    """Why numbers of several units are not compared: where batches of some steps were not seen, steps count alone."""
    return f"one is in {', another in '.join(sorted(units))}, as not all batches were seen"
