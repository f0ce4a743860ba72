"""Slices of time that sides share: in each round every side runs once, all its processes, while the others stand still.

A step that takes long meets what the machine does meanwhile; a side that runs in its place a moment later does not. In
slices that are shorter than what the machine does, both meet the same.
"""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True)
class Slices:
    """From ``begin`` (CLOCK_MONOTONIC, s) on rounds of ``of`` slices of ``length`` s, of which one is ours.

    Sides run in the order of their ``place``, and in every other round the other way round, so that none is always
    first.
    """

    begin: float
    length: float
    place: int
    of: int

    def ours(self, t: float) -> bool:
        """Whether a time lies in a slice of ours; none before they begin."""
        rounds, offset = self._within(t)
        own = self._own(rounds)
        return t >= self.begin and own <= offset < own + self.length

    def next_edge(self, t: float) -> float:
        """When the first of our slices after a time begins, or that at the time ends."""
        rounds, _ = self._within(t)
        starts = [self.begin + self._round * number + self._own(number) for number in (rounds, rounds + 1)]
        return min(edge for start in starts for edge in (start, start + self.length) if edge > t + 1e-9)

    def active(self, t: float) -> float:
        """Seconds of our slices until a time."""
        rounds, offset = self._within(max(t, self.begin))
        return rounds * self.length + min(max(offset - self._own(rounds), 0.0), self.length)

    @property
    def _round(self) -> float:
        return self.length * self.of

    def _within(self, t: float) -> tuple[int, float]:
        rounds = math.floor((t - self.begin) / self._round)
        return rounds, t - self.begin - rounds * self._round

    def _own(self, number: int) -> float:
        """Where in a round our slice begins."""
        return self.length * (self.place if number % 2 == 0 else self.of - 1 - self.place)
