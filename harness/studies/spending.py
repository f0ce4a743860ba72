"""What a comparison spent of its budget, and what answers to its question would still take."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from harness.statistics.sequential import MIN_VALUES
from harness.studies.enough import NEXT_LOOK, Course, Enough
from harness.studies.evidence import Evidence
from harness.studies.finding import Finding, is_decided


@dataclass
class Spending:
    """Seconds: ``planned`` at first, ``taken`` by all runs, and of these such as are ``beside`` the budget.

    To look into rounding, and once more at what differs, is beside it: few comparisons need that.
    """

    planned: float
    taken: float = 0.0
    beside: float = 0.0

    @property
    def spent(self) -> float:
        """Seconds of the budget."""
        return self.taken - self.beside

    def add(self, seconds: float) -> None:
        """A run of the budget."""
        self.taken += seconds

    def add_beside(self, seconds: float) -> None:
        """A run that is beside it."""
        self.taken += seconds
        self.beside += seconds

    def look(self, evidence: Evidence) -> None:
        """Spend of the level what is due by now."""
        evidence.look(self.spent, self.planned, evidence.due_at_least)

    def is_over(self, evidence: Evidence) -> bool:
        """Whether there is no time for a pair more, nor an answer so near that the budget is exceeded for it."""
        usual = evidence.usual_seconds or 0.0
        return self.spent + usual > evidence.asked.budget and not self._goes_on(evidence, usual)

    def _goes_on(self, evidence: Evidence, usual: float) -> bool:
        """Whether what an answer may still take fits into what may be spent beyond the budget.

        By luck few pairs are off by enough to make an answer look far; the interval holds whoever stops when.
        """
        lacking, limit = _lacking(evidence, lambda finding: finding.soonest), evidence.asked.limit
        has_looked = len(evidence.counted) >= MIN_VALUES
        if lacking is None or (has_looked and limit < NEXT_LOOK * self.planned):
            return False
        return self.spent + max(lacking, 1) * usual <= limit

    def enough(self, finding: Finding, evidence: Evidence) -> Enough | None:
        """What a finding that is not decided would take; None where nobody can say, or it is more than thousands."""
        usual, count = evidence.usual_seconds, len(evidence.counted)
        if not usual or finding.more is None or is_decided(finding):
            return None
        if finding.mean is None or math.isinf(finding.mean.half):
            return None
        level = evidence.level(evidence.asked.measure)
        course = Course(self.planned, self.spent, usual, count, evidence.looks, level, evidence.due_at_least)
        return course.enough(finding.more)

    def why_no_answer(self, evidence: Evidence) -> str:
        """What an answer would have taken, where there was no time for it; "" where nobody can say."""
        usual, few = evidence.usual_seconds, len(evidence.counted) < MIN_VALUES
        lacking = _lacking(evidence, lambda finding: finding.more)
        if usual is None or lacking is None:
            return ""
        if not few:
            lacking = _lacking(evidence, lambda finding: _pairs(self.enough(finding, evidence)))
        if lacking is None:
            return ""
        what = "an interval" if few else "an answer"
        more = evidence.asked.compared.counted(lacking).replace(" ", " more ")
        return f"{what} takes {more}, about {lacking * usual:.0f} s, and there was no time for them"


def _lacking(evidence: Evidence, in_all: Callable[[Finding], int | None]) -> int | None:
    """Pairs that answers still take, of those in all; None where nobody can say, or it is more than thousands.

    Without an interval, those that it takes to have one.
    """
    count = len(evidence.counted)
    if count < MIN_VALUES:
        return MIN_VALUES - count
    needed = [in_all(finding) for finding in evidence.findings() if not is_decided(finding)]
    return max(each - count for each in needed if each) if all(needed) and needed else None


def _pairs(enough: Enough | None) -> int | None:
    return enough.pairs if enough else None
