"""What a night suspects: an arm that ends otherwise, a change that shows in a look, a series that moved. Pure."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from harness.statistics import shifts
from harness.studies import nights
from harness.studies.compare import Compare
from harness.studies.compared import MEASURES
from harness.studies.finding import sentence
from harness.studies.nights import MEANING, OUTCOME, WHOLE
from harness.studies.watched import Watched, look

SIZES = ("peak_memory", "held_memory", "growth", "start_up")
"""What a look at changed software is asked besides throughput, which decides."""

_COMPARED = {"seconds_per_sample": "throughput", "final_loss": MEANING, nights.DRIFT: MEANING}
"""Measures of comparisons that series are asked about by."""


@dataclass(frozen=True)
class Suspect:
    """Something of an arm that seems to be otherwise: ``by`` the outcome, a series of nights, or a look at a change."""

    watched: str
    arm: str
    measure: str
    by: str
    why: str
    word: str = ""
    """What the first look said, as in slower."""

    @property
    def part(self) -> str:
        """Part of the names of what is asked about it."""
        return f"{self.measure}-{look(self.arm or 'verdict', self.watched)}"

    @property
    def quantity(self) -> str:
        """The series that its measure is of."""
        return next((name for name, measure in _COMPARED.items() if measure == self.measure), self.measure)


def by_outcome(each: Watched, outcomes: Mapping[str, Sequence[str]]) -> Iterator[Suspect]:
    """Arms that end otherwise than on the last good night, or more often so; ``outcomes``: of each, round by round."""
    reference = each.past.reference
    odd_arm = False
    for arm, words in outcomes.items():
        before = reference.outcomes.get(arm, ()) if reference else ()
        usual = usual_of(before)
        odd = [word for word in words if usual and word != usual and not nights.is_of_ours(word)]
        known = sum(word != usual and not nights.is_of_ours(word) for word in before)
        often_now = not known or len(odd) * len(before) > 2 * known * len(words)
        if odd and often_now and not (arm == WHOLE and odd_arm):
            odd_arm = True
            why = f"{odd[0]} in {len(odd)} of {len(words)} rounds, {usual} before"
            yield Suspect(each.key, arm, OUTCOME, "outcome", why, odd[0])


def by_look(each: Watched, arm: str, study: Compare) -> Iterator[Suspect]:
    """What a comparison of then and now shows."""
    if study.broken:
        yield Suspect(each.key, arm, MEANING, "look", study.broken, "broken")
        return
    for found in study.meanings.values():
        if found.word == "different":
            yield Suspect(each.key, arm, MEANING, "look", found.sentence, "different")
    (other,) = study.evidence.others
    for finding in (study.evidence.answer(other), *(study.evidence.finding(name, other) for name in SIZES)):
        if finding.word not in ("same", "undecided") and finding.mean is not None:
            yield Suspect(each.key, arm, finding.measure, "look", sentence(finding), finding.word)


def by_series(each: Watched, tonight: Mapping[str, Mapping[str, Sequence[float]]], resolve: float) -> Iterator[Suspect]:
    """Tonight unlike the nights before, or a level that moved and that nobody explained.

    What the last good night had of a changed arm, and tonight has not, is one, too.
    """
    moved = {(one.arm, one.quantity): one for one in each.past.moved}
    for arm, numbers in tonight.items():
        if each.is_another_job(arm):
            continue
        yield from _missing(each, arm, numbers)
        for quantity, values in numbers.items():
            measure, least = _COMPARED.get(quantity, quantity), least_of(quantity, resolve)
            value = nights.in_log(quantity, median(values))
            before = each.past.history.get(arm, {}).get(quantity, ())
            if shifts.is_unusual(before, value, least):
                why = f"{quantity} is {_change(quantity, median(before), value)} beside {len(before)} nights"
                yield Suspect(each.key, arm, measure, "series", why, _direction(measure, value - median(before)))
            elif (one := moved.get((arm, quantity))) and abs(one.after - one.before) > least:
                why = f"{quantity} has been {_change(quantity, one.before, one.after)} since the night {one.night}"
                yield Suspect(each.key, arm, measure, "series", why, _direction(measure, one.after - one.before))


def _missing(each: Watched, arm: str, numbers: Mapping[str, Sequence[float]]) -> Iterator[Suspect]:
    before = each.past.reference.numbers.get(arm, {}) if each.past.reference is not None and each.changed else {}
    for quantity in before:
        if quantity not in numbers:
            why = f"{quantity} is no finite number, or is not there, and was on the last good night"
            yield Suspect(each.key, arm, _COMPARED.get(quantity, quantity), "series", why)


def least_of(quantity: str, resolve: float) -> float:
    """The least that counts; a loss is a matter of software alone, as far as the machine does not compute otherwise."""
    return 0.0 if quantity in ("final_loss", nights.DRIFT) else resolve


def usual_of(words: Sequence[str]) -> str:
    """How it ends most often, where the harness did not fail."""
    known = [word for word in words if not nights.is_of_ours(word)]
    return max(dict.fromkeys(known), key=known.count, default="")


def _change(quantity: str, before: float, after: float) -> str:
    if quantity == nights.DRIFT:
        return f"{after - before:+.3g}"
    return f"{math.expm1(after - before):+.2%}"


def _direction(measure: str, change: float) -> str:
    """As a comparison says it; "" of what has no direction there."""
    known = MEASURES.get(measure)
    if known is None:
        return "different" if measure == MEANING else ""
    rate = -change if measure == "throughput" else change  # a series has seconds, a comparison their rate
    return known.better if (rate < 0) == known.lower_is_better else known.worse
