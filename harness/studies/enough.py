"""What a question that is not answered would take: so many pairs, by the end of a budget of so many seconds."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

from harness.statistics.sequential import MOST, Look, critical, half_width, share

NEXT_LOOK = math.sqrt(2)
"""Of a budget that is over, when the next look has something of the level to spend (`sequential.share`)."""


@dataclass(frozen=True)
class Enough:
    """Pairs in all, and the budget."""

    pairs: int
    budget: float


@dataclass(frozen=True)
class Course:
    """How a comparison went: the budget that was planned and what is spent of it, in seconds, and what a pair takes.

    ``count``: pairs that count; ``looks`` that were taken at them, ``level`` of all looks together. ``least``: the
    share of the level that is due however little time was spent.
    """

    planned: float
    spent: float
    usual: float
    count: int
    looks: Sequence[Look]
    level: float
    least: float = 0.0

    def enough(self, more: int) -> Enough | None:
        """When an interval is as narrow as that of ``more`` pairs within the planned budget; None for thousands.

        Little of the level is left for looks beyond it, so that these take up to twice as many pairs. Within it pairs
        are worth what they are at its end: where there are as many already, that is what it takes.
        """
        narrow, looks = half_width(more, 1.0, self.level), tuple(self.looks)
        for budget in (self.planned * NEXT_LOOK**number for number in itertools.count()):
            room = math.floor((budget - self.spent) / self.usual)
            pairs = self.count + room
            if pairs > MOST:
                return None
            if room < 1:
                continue
            if budget == self.planned and more <= pairs:
                return Enough(more if more > self.count else pairs, budget)
            due = self.least + (1 - self.least) * share(budget / self.planned)
            looks = (*looks, Look(pairs, due))
            if budget > self.planned and critical(looks, self.level)[-1] / math.sqrt(pairs) <= narrow:
                return Enough(pairs, budget)
        return None
