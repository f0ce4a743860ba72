"""Where pairs end of sides that began alike: what a short run is too short for shows there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from harness.studies import meaning
from harness.studies.evidence import Evidence
from harness.studies.finding import estimate, interval, is_beyond
from harness.studies.meaning import Meaning
from harness.studies.sides import AGAIN, Sides

_STEPS = "workload.steps"

OFTEN = 0.5
"""Share of pairs that end apart from which on a race is not likely to be all: one more run need not show it."""


class Ends:
    """Of sides that take the same steps without faults; others end apart anyway, and seeds do.

    ``itself``: how far the first side ends from itself, run once more for as long as a pair; None while nobody knows.
    ``asked``: whether it was, whatever came of it. ``asks``: whether it is to be; in studies of before it was not, and
    one pair that ended apart was enough.
    """

    def __init__(self, scenario: Sides, of_seeds: bool, asks: bool = True) -> None:
        self._scenario, self._often = scenario, OFTEN if asks else 0.0
        self._apart_anyway = of_seeds or scenario.has_faults or any(_STEPS in each.fields for each in scenario.sides)
        self.itself: float | None = None if asks else 0.0
        self.asked = not asks

    def add(self, itself: float | None) -> None:
        """What came of the first side's run beside itself."""
        self.asked, self.itself = True, itself

    @property
    def first_twice(self) -> Sides:
        """The first side beside itself."""
        first = self._scenario.sides[0]
        return replace(self._scenario, sides=(first, replace(first, name=AGAIN)))

    def wanted(self, short: Mapping[str, Meaning], evidence: Evidence) -> bool:
        """Whether pairs end apart that began alike, and nobody knows yet whether the first side ends where it did."""
        if self.asked or self._apart_anyway:
            return False
        alike = (side for side, found in short.items() if found.word == "identical")
        return any(meaning.is_apart(evidence.parted(side)) for side in alike)

    def meaning(self, side: str, short: Meaning, evidence: Evidence) -> Meaning:
        """What a side computes, by a short run, and by where pairs end."""
        if self._apart_anyway:
            return short
        if short.word == "identical":
            return meaning.in_the_end(short, evidence.parted(side), self.itself, self._often)
        ends = _elsewhere(side, evidence) if short.word == "alike" else ""
        return meaning.elsewhere(short, ends) if ends else short


def _elsewhere(side: str, evidence: Evidence) -> str:
    """How far final losses of pairs are apart, all in one direction, where that is more than seeds make of them."""
    ends = evidence.finding("drift", next(each for each in evidence.others if each.name == side))
    beyond = ends.mean is not None and is_beyond(ends.mean, evidence.margin_of_seeds("drift"))
    return f"{estimate(ends)}, {interval(ends)} in {len(evidence.parted(side))} pairs" if beyond else ""
