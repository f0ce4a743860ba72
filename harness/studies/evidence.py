"""What the pairs of a comparison say: about each other side, by each measure, at each look."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from statistics import median, stdev

from harness.statistics import convergence
from harness.statistics.convergence import Convergence
from harness.statistics.sequential import LEVEL, Look, Sequential, sequential, share
from harness.studies import pairs
from harness.studies.compared import MEASURES
from harness.studies.finding import Finding, Margin, Question, pairs_needed, word_of
from harness.studies.pairs import Pair
from harness.studies.sides import Side, Sides

GUARDED, GUARD = "throughput", "throughput_overall"
"""The middle of turns decides; what happens in less than a quarter of them shows in the whole time only."""

GUARDS = 0.2
"""Share of the level that the guard has."""


@dataclass
class Evidence:
    """Pairs of sides, the first of which the others are compared with, and the looks that were taken at them."""

    scenario: Sides
    asked: Question
    pairs: list[Pair] = field(default_factory=list)
    looks: list[Look] = field(default_factory=list)

    @property
    def others(self) -> Sequence[Side]:
        """All sides but the first."""
        return self.scenario.sides[1:]

    @property
    def counted(self) -> list[Pair]:
        """The pairs that count (`harness.studies.pairs.counted`)."""
        return pairs.counted(self.pairs)

    @property
    def usual_seconds(self) -> float | None:
        """What a pair takes; None before there is one."""
        return median(pair.seconds for pair in self.pairs) if self.pairs else None

    def look(self, spent: float, budget: float) -> None:
        """Spend of the level what is due by the time the next pair would be there; nothing where there is none new."""
        count, last = len(self.counted), self.looks[-1] if self.looks else Look(0, 0.0)
        if count > last.n:
            due = share((spent + (self.usual_seconds or 0.0)) / budget)
            self.looks.append(Look(count, max(due, last.share)))

    def level(self, measure: str) -> float:
        """Of each side's interval by a measure: sides share it, and so do a measure and its guard."""
        parts = {GUARDED: 1 - GUARDS, GUARD: GUARDS} if self.asked.measure == GUARDED else {}
        return LEVEL * parts.get(measure, 1.0) / len(self.others)

    def means(self, measure: str, side: Side) -> list[Sequential]:
        """After each pair that has such a number, what was known by then."""
        effects = [pair.effects.get(measure, {}).get(side.name) for pair in self.counted]
        values = [effect for effect in effects if effect is not None]
        had = [Look(sum(effect is not None for effect in effects[: look.n]), look.share) for look in self.looks]
        looks = [look for before, look in itertools.pairwise([Look(0, 0.0), *had]) if before.n < look.n]
        level = self.level(measure)
        return [sequential(values[:count], looks, level) for count in range(1, len(values) + 1)]

    def findings(self) -> list[Finding]:
        """How each other side compares with the first, by the measure that was asked for."""
        return [self.answer(side) for side in self.others]

    def answer(self, side: Side) -> Finding:
        """By the measure that was asked for, at the first look that decided; by its guard, where that objects."""
        found = self._decided(self.asked.measure, side)
        if self.asked.measure == GUARDED and (guard := self._decided(GUARD, side)).word not in ("same", "undecided"):
            return guard if found.word != guard.word else found
        return found

    def finding(self, measure: str, side: Side) -> Finding:
        """How a side compares by a measure, all pairs taken together."""
        means = self.means(measure, side)
        return self._of(measure, side, means[-1] if means else None)

    def _decided(self, measure: str, side: Side) -> Finding:
        """All looks hold together, so that what one of them decided stays decided."""
        every = [self._of(measure, side, mean) for mean in self.means(measure, side)]
        first = next((finding for finding in every if finding.word != "undecided"), None)
        return first or (every[-1] if every else self._of(measure, side, None))

    def _of(self, measure: str, side: Side, mean: Sequential | None) -> Finding:
        if mean is None:
            return Finding(measure, side.name, "undecided", None)
        missing = sum(side.name not in pair.effects.get(measure, {}) for pair in self.counted)
        margin = self.margin(measure)
        word = "undecided" if missing else word_of(MEASURES[measure], mean, margin)
        more = pairs_needed(mean, margin) if word == "undecided" and not missing else None
        return Finding(measure, side.name, word, mean, more, missing)

    def margin(self, measure: str) -> Margin | None:
        """How close counts as the same; None where nobody can say."""
        resolve, kind = self.asked.resolve, MEASURES[measure]
        if kind.margin_of:
            scale = [pair.first[kind.margin_of] for pair in self.counted if kind.margin_of in pair.first]
            return Margin.around((resolve or pairs.RESOLVE) * median(scale)) if scale else None
        if resolve is not None or not kind.of_seeds:
            return Margin.around(resolve) if kind.absolute and resolve else Margin.relative(resolve or pairs.RESOLVE)
        firsts = [pair.first[measure] for pair in self.counted if measure in pair.first]
        scale = firsts if kind.absolute else [math.log(value) for value in firsts if value > 0]
        return Margin.around(_at_least(scale) / 2) if len(scale) > 1 else None

    def convergence(self, side: Side) -> Convergence | None:
        """What MLPerf's rule says of the steps to a loss; None where not all seeds of both sides reached it."""
        name = "steps_to_loss"
        steps = [(pair.first.get(name), pair.effects.get(name, {}).get(side.name)) for pair in self.counted]
        known = [(one, one * math.exp(effect)) for one, effect in steps if one is not None and effect is not None]
        return convergence.compare(*zip(*known, strict=True)) if known and len(known) == len(steps) else None


def _at_least(values: Sequence[float]) -> float:
    """What the standard deviation is at least, with 95 % confidence for normal values."""
    from scipy.special import chdtri

    degrees = len(values) - 1
    return stdev(values) * math.sqrt(degrees / float(chdtri(degrees, 0.05)))
