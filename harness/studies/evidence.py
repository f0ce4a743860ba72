"""What the pairs of a comparison say: about each other side, by each measure, at each look."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from statistics import median, stdev

from harness.statistics import convergence
from harness.statistics.convergence import Convergence
from harness.statistics.sequential import IN_TIME, Look, Sequential, sequential, share
from harness.studies import pairs
from harness.studies.compared import MEASURES, STARTS
from harness.studies.finding import Finding, Margin, Question, is_beyond, is_decided, undecided, word_of
from harness.studies.pairs import Pair
from harness.studies.sides import Side, Sides

GUARDED, GUARD = "throughput", "throughput_overall"
"""The middle of turns decides; what happens in less than a quarter of them shows in the whole time only."""

GUARDS = 0.1
"""Share of the level that the guard has."""

OF_SEEDS = IN_TIME / 2
"""Share of the level that is due once as many seeds are there as were asked for, however little time that took."""

GUARD_ROOM = 3
"""Sides are the same only where the guard's interval lies within so many times the margin: it scatters more."""

GUARD_PART = 1 / 3
"""Sides differ only where the guard's estimate is at least that part of the effect: else work went to other turns."""


@dataclass
class Evidence:
    """Pairs of sides, the first of which the others are compared with, and the looks that were taken at them.

    ``fallen``: sides that did not train to their end in a short run, before there were pairs.
    """

    scenario: Sides
    asked: Question
    pairs: list[Pair] = field(default_factory=list)
    looks: list[Look] = field(default_factory=list)
    fallen: set[str] = field(default_factory=set)

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

    @property
    def due_at_least(self) -> float:
        """Share of the level that is due however little time was spent."""
        return OF_SEEDS if self.asked.compared.of_seeds else 0.0

    def look(self, spent: float, budget: float, least: float = 0.0) -> None:
        """Spend of the level what is due by the time the next pair would be there, also where the last told nothing.

        At ``least`` such a share, where the number of pairs was decided before; time spends the rest.
        """
        count, last = len(self.counted), self.looks[-1] if self.looks else Look(0, 0.0)
        due = least + (1 - least) * share((spent + (self.usual_seconds or 0.0)) / budget)
        if count > last.n or (count and due > last.share):
            self.looks.append(Look(count, max(due, last.share)))

    def parted(self, side: str) -> list[float]:
        """How far its final losses are from the first side's, of themselves, in pairs where both are known."""
        return [pair.parted[side] for pair in self.pairs if side in pair.parted]

    def level(self, measure: str) -> float:
        """Of each side's interval by a measure: sides share it, and so do a measure and its guard."""
        parts = {GUARDED: 1 - GUARDS, GUARD: GUARDS} if self.asked.measure == GUARDED else {}
        return self.asked.level * parts.get(measure, 1.0) / len(self.others)

    def means(self, measure: str, side: Side) -> list[Sequential]:
        """After each pair that has such a number, what was known by then."""
        every = dict[int, Sequential]()
        for _, known, mean in self._steps(measure, side):
            if mean is not None:
                every[known] = mean
        return list(every.values())

    def _steps(self, measure: str, side: Side) -> Iterator[tuple[int, int, Sequential | None]]:
        """Pairs that count, those with such a number, and what was known by then.

        After each pair, and at each further look at as many pairs, so that what the first one decided stays decided.
        """
        effects = [pair.effects.get(measure, {}).get(side.name) for pair in self.counted]
        known = [0, *itertools.accumulate(effect is not None for effect in effects)]
        values = [effect for effect in effects if effect is not None]
        looks, level = [Look(known[min(look.n, len(effects))], look.share) for look in self.looks], self.level(measure)
        taken = Counter(look.n for look in self.looks)
        before = 0
        for number in range(1, len(effects) + 1):
            for looked in range(before + 1, before + taken[number] + 1) if taken[number] else (before,):
                mean = sequential(values[: known[number]], looks[:looked], level) if known[number] else None
                yield number, known[number], mean
            before += taken[number]

    def findings(self) -> list[Finding]:
        """How each other side compares with the first, by the measure that was asked for."""
        return [self.answer(side) for side in self.others]

    def answer(self, side: Side) -> Finding:
        """By the measure that was asked for, and its guard, at the first look that decided.

        Intervals of all looks hold together, so that what one decided stays decided. A side that failed is nothing but
        worse.
        """
        measure = self.asked.measure
        own = every = self._history(measure, side, self.asked.beyond)
        if not every:
            return Finding(measure, side.name, "undecided", None)
        if measure == GUARDED:
            room = Margin.relative(GUARD_ROOM * (self.asked.resolve or pairs.RESOLVE))
            every = [*map(self._beyond, guarded(every, self._history(GUARD, side), room))]
        found = next(filter(is_decided, every), every[-1])
        if (own[-1].missing or side.name in self.fallen) and found.word != MEASURES[measure].worse:
            return self._of(measure, side, own[-1].mean, max(own[-1].missing, 1), None)
        return found

    def _beyond(self, finding: Finding) -> Finding:
        """Nothing, where it is asked by how much a side is worse, and what the guard says does not tell."""
        worse = self.asked.beyond and finding.word == MEASURES[finding.measure].worse
        if finding.mean is None or not worse or self.is_worse_by_more(finding):
            return finding
        return undecided(finding.measure, finding.side, finding.mean, self.margin(finding.measure), beyond=True)

    def finding(self, measure: str, side: Side) -> Finding:
        """How a side compares by a measure, all pairs taken together."""
        every = self._history(measure, side)
        return every[-1] if every else Finding(measure, side.name, "undecided", None)

    def _history(self, measure: str, side: Side, beyond: bool = False) -> list[Finding]:
        """After each pair that counts, and each look, how a side compared by then: what follows changes none of it."""
        counted, found = self.counted, list[Finding]()
        asked = [0, *itertools.accumulate(self._asks(measure, pair) for pair in counted)]
        for number, known, mean in self._steps(measure, side):
            margin = self._margin(measure, counted[: mean.looked] if mean and mean.looked else counted[:number])
            found.append(self._of(measure, side, mean, asked[number] - known, margin, beyond))
        return found

    def _asks(self, measure: str, pair: Pair) -> bool:
        """Whether a pair was to have such a number."""
        all_do = measure != STARTS or self.asked.asks_of_starts
        return all_do or measure in {*pair.first, *pair.effects} or not pair.first

    @staticmethod
    def _of(
        measure: str, side: Side, mean: Sequential | None, missing: int, margin: Margin | None, beyond: bool = False
    ) -> Finding:
        if mean is None or missing:
            return Finding(measure, side.name, "undecided", mean, None, missing)
        word = word_of(MEASURES[measure], mean, margin, beyond)
        if word != "undecided":
            return Finding(measure, side.name, word, mean)
        return undecided(measure, side.name, mean, margin, beyond)

    def margin(self, measure: str) -> Margin | None:
        """How close counts as the same; None where nobody can say."""
        return self._margin(measure, self.counted)

    def _margin(self, measure: str, counted: Sequence[Pair]) -> Margin | None:
        resolve, kind = self.asked.resolve, MEASURES[measure]
        if kind.margin_of:
            scale = [pair.first[kind.margin_of] for pair in counted if kind.margin_of in pair.first]
            return Margin.around((resolve or pairs.RESOLVE) * median(scale)) if scale else None
        if resolve is not None or not kind.of_seeds:
            return Margin.around(resolve) if kind.absolute and resolve else Margin.relative(resolve or pairs.RESOLVE)
        return self._margin_of_seeds(measure, counted)

    def margin_of_seeds(self, measure: str) -> Margin | None:
        """Half of what seeds make of it at least, or the smallest step that it has; None where nobody can say."""
        return self._margin_of_seeds(measure, self.counted)

    def finest(self, measure: str) -> float:
        """The smallest step that it has; 0 where it has none."""
        kind = MEASURES[measure]
        return 1 / self.scenario.held_back(kind.needs["held_back"]) if kind.by_sample else 0.0

    def _margin_of_seeds(self, measure: str, counted: Sequence[Pair]) -> Margin | None:
        firsts = [pair.first[measure] for pair in counted if measure in pair.first]
        kind = MEASURES[measure]
        scale = firsts if kind.absolute else [math.log(value) for value in firsts if value > 0]
        half = max(_at_least(scale) / 2, self.finest(measure)) if len(scale) > 1 else 0.0
        return Margin.around(half) if half else None

    def is_worse_by_more(self, finding: Finding) -> bool:
        """Whether all of its interval lies beyond what counts as the same."""
        if finding.word != MEASURES[finding.measure].worse or finding.mean is None:
            return False
        return is_beyond(finding.mean, self.margin(finding.measure))

    def is_worse_about_so(self, finding: Finding) -> bool:
        """Whether it is worse for sure, and as likely as not by more than what counts as the same."""
        if finding.word != MEASURES[finding.measure].worse or finding.mean is None:
            return False
        margin = self.margin(finding.measure)
        return margin is not None and not margin.low <= finding.mean.estimate <= margin.high

    def but_for_missing(self, finding: Finding) -> Finding:
        """What the pairs that have a number say, where some have none and so nothing is decided."""
        if not finding.missing or finding.mean is None:
            return finding
        word = word_of(MEASURES[finding.measure], finding.mean, self.margin(finding.measure))
        return replace(finding, word=word)

    def is_better_about_so(self, finding: Finding) -> bool:
        """Whether it is better for sure, and as likely as not by more than what counts as the same."""
        kind, margin = MEASURES[finding.measure], self.margin(finding.measure)
        if finding.word != kind.better or finding.mean is None or margin is None:
            return False
        return not margin.low <= finding.mean.estimate <= margin.high

    @property
    def doubt(self) -> str:
        """How many of the pairs that count were disturbed, in words; "" for none."""
        disturbed = sum(bool(pair.disturbed) for pair in self.counted)
        if not disturbed:
            return ""
        return f" ({disturbed} of {len(self.counted)} pairs were disturbed)"

    def objection(self, finding: Finding) -> Finding | None:
        """What all of the time says of a side, where that lies outside of what is said, and of what is the same."""
        if finding.measure != GUARDED or finding.mean is None:
            return None
        guard = self._last(GUARD, finding.side)
        room = Margin.relative(GUARD_ROOM * (self.asked.resolve or pairs.RESOLVE))
        if guard.mean is None or room.low <= guard.mean.estimate <= room.high:
            return None
        return None if finding.mean.low <= guard.mean.estimate <= finding.mean.high else guard

    def _last(self, measure: str, name: str) -> Finding:
        return self.finding(measure, next(side for side in self.others if side.name == name))

    def convergence(self, side: Side) -> Convergence | None:
        """What MLPerf's rule says of the steps to a loss; None where not all seeds of both sides reached it."""
        name = "steps_to_loss"
        steps = [(pair.first.get(name), pair.effects.get(name, {}).get(side.name)) for pair in self.counted]
        known = [(one, one * math.exp(effect)) for one, effect in steps if one is not None and effect is not None]
        return convergence.compare(*zip(*known, strict=True)) if known and len(known) == len(steps) else None


def guarded(own: Sequence[Finding], guard: Sequence[Finding], room: Margin) -> list[Finding]:
    """After each pair, what a measure and its guard say together.

    The guard's word counts where it says that sides differ, and its latest interval says by how much. Without it
    nothing is the same unless the guard's interval lies within ``room``, and nothing differs unless its estimate does,
    too (`GUARD_PART`). Of what each said the latest counts, as all intervals hold together.
    """
    found = list[Finding]()
    said: Finding | None = None
    objection: Finding | None = None
    near = False
    for mine, theirs in zip(own, guard, strict=True):
        said = mine if is_decided(mine) else said
        objection = (None if theirs.word == "same" else theirs) if is_decided(theirs) else objection
        near = near or (theirs.mean is not None and room.low <= theirs.mean.low and theirs.mean.high <= room.high)
        if objection is not None:
            found.append(said if said is not None and said.word == objection.word else objection)
        elif said is None or (near if said.word == "same" else _goes_along(theirs, said)):
            found.append(said or mine)
        else:
            near_by = undecided(theirs.measure, theirs.side, theirs.mean, room) if theirs.mean is not None else theirs
            waits = near_by if said.word == "same" else theirs
            found.append(replace(mine, word="undecided", more=waits.more, soonest=waits.soonest))
    return found


def _goes_along(guard: Finding, said: Finding) -> bool:
    """Whether the guard's estimate is on the same side, and not much less; also where it has none."""
    if guard.mean is None or said.mean is None:
        return True
    return guard.mean.estimate / said.mean.estimate >= GUARD_PART


def _at_least(values: Sequence[float]) -> float:
    """What the standard deviation is at least, with 95 % confidence for normal values."""
    from scipy.special import chdtri

    degrees = len(values) - 1
    return stdev(values) * math.sqrt(degrees / float(chdtri(degrees, 0.05)))
