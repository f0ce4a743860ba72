"""What two sides can be compared by, and how far apart they are in one pair of runs."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from statistics import fmean
from typing import Any

from harness.vocabulary import turns
from harness.vocabulary.quantities import ArmMeasures, Quantity

TRIMMED = 0.25
"""Of the pairs of turns, at either end: 11 pairs of resnet with itself scattered by 1.0 %, by 1.2 % with a tenth."""

Pick = Callable[[Sequence[Quantity]], float]
Turns = Callable[[Sequence[float], Sequence[float]], float]


@dataclass(frozen=True)
class Compared:
    """A number of each side. ``needs``: fields of the workload without which it is not measured.

    ``better`` and ``worse`` are what the other side is; ``absolute``: by difference, since it may be 0 or below;
    ``of_seeds``: a matter of where training goes, which differs from seed to seed, and not of time; ``by_turn``: how
    the rates of turns are compared in a duet, and ``whole`` the number that stands for it without turns; ``margin_of``:
    the measure of which a part is the margin; ``by_sample``: its smallest step is one of those held back.
    """

    quantity: str
    better: str
    worse: str
    lower_is_better: bool = True
    needs: Mapping[str, Any] = field(default_factory=dict)
    absolute: bool = False
    by_turn: Turns | None = None
    margin_of: str = ""
    by_sample: bool = False
    of_seeds: bool = False
    whole: str = ""
    pick: Pick = lambda each: max(quantity.value or 0.0 for quantity in each)
    title: str = ""

    @property
    def name(self) -> str:
        """In words."""
        return self.title or self.quantity.replace("_", " ")

    @property
    def unit(self) -> str:
        """Of what its numbers are counted in."""
        return "seed" if self.of_seeds else "pair"

    def counted(self, count: int) -> str:
        """So many, in words."""
        return f"{count} {self.unit}{'s' * (count != 1)}"

    def without_turns(self) -> Compared:
        """The same where sides run one after the other."""
        return replace(self, quantity=self.whole or self.quantity, by_turn=None)

    def apart(self, first: ArmMeasures, other: ArmMeasures, duet: bool) -> float | None:
        """The logarithm of other over first, or their difference; None where one of them was not measured.

        So it is where units differ. In a ``duet``, rates are compared by turns.
        """
        if not duet and self.by_turn:
            return self.without_turns().apart(first, other, duet)
        if len(self.units(first, other)) > 1:
            return None
        if self.by_turn:
            rates = first.get(self.quantity).samples, other.get(self.quantity).samples
            usable = len(rates[0]) == len(rates[1]) > 0 and min(map(min, rates)) > 0
            return self.by_turn(*rates) if usable else None
        one, two = (self.value(arm) for arm in (first, other))
        if one is None or two is None:
            return None
        if self.absolute:
            return two - one
        return math.log(two / one) if one > 0 and two > 0 else None

    def units(self, *arms: ArmMeasures) -> set[str]:
        """In which sides have it."""
        return {each.unit for arm in arms for each in arm.of_subjects(self.quantity) if each.value is not None}

    def value(self, arm: ArmMeasures) -> float | None:
        """The number of one side, of the whole job where it has one; None where it was not measured, or not finite."""
        whole = arm.get(self.quantity)
        each = [whole] if whole.value is not None else arm.of_subjects(self.quantity)
        known = [quantity for quantity in each if quantity.value is not None]
        found = self.pick(known) if known else math.nan
        return found if math.isfinite(found) else None


STARTS = "start_up"
"""The measure that only pairs have which start as production does."""

LOSSES = ("drift", "loss_half_way", "loss_area")
"""Measures that are compared by the ratio of losses."""


def _middle_turns(first: Sequence[float], other: Sequence[float]) -> float:
    """Mean over pairs of turns that follow each other, without the quarter that is most extreme on either side.

    What slows down less than a quarter of them does not show. Where a machine has two speeds a median jumps. Rounds of
    either order are apart, since who goes first is faster: together, which are extreme would depend on their numbers.
    """
    ratios: dict[bool, list[float]] = {}
    for number, (mine, theirs) in enumerate(zip(first, other, strict=True)):
        ratios.setdefault(turns.is_reversed(number), []).append(math.log(theirs / mine))
    return fmean(_middle(each) for each in ratios.values())


def _middle(values: Sequence[float]) -> float:
    cut = int(len(values) * TRIMMED)
    return fmean(sorted(values)[cut : len(values) - cut])


def _all_turns(first: Sequence[float], other: Sequence[float]) -> float:
    """Of the time of all turns together."""
    return math.log(sum(1 / rate for rate in first) / sum(1 / rate for rate in other))


def _total(each: Sequence[Quantity]) -> float:
    return sum(quantity.value or 0.0 for quantity in each)


def _mean_until(fraction: float) -> Pick:
    """Mean of a curve up to a fraction of it, or around that fraction where it is not all."""

    def pick(each: Sequence[Quantity]) -> float:
        (curve,) = each
        end, tenth = max(1, round(len(curve.samples) * fraction)), max(1, len(curve.samples) // 10)
        return fmean(curve.samples[:end] if fraction == 1 else curve.samples[max(0, end - tenth) : end])

    return pick


_HELD_BACK = {"held_back": 297}
_LATENCY, _PHASES, _LIVE = {"sync_every": 1}, {"phases": True}, {"memory": "live"}
MEASURES: Mapping[str, Compared] = {
    "throughput": Compared("throughput", "faster", "slower", lower_is_better=False, by_turn=_middle_turns),
    "throughput_overall": Compared(
        "throughput",
        "faster",
        "slower",
        lower_is_better=False,
        by_turn=_all_turns,
        whole="goodput",
        title="throughput over all of the time",
    ),
    "latency_p50": Compared("step_latency_p50", "faster", "slower", needs=_LATENCY),
    "latency_p99": Compared("step_latency_p99", "faster", "slower", needs=_LATENCY),
    "outside_compute": Compared("push_pull_time", "less", "more", needs=_PHASES),
    "waiting": Compared("wait_time", "less", "more", needs=_PHASES),
    "input_wait": Compared("input_wait", "less", "more", title="waiting for batches"),
    "peak_memory": Compared("peak_memory", "less", "more"),
    "held_memory": Compared("held_memory", "less", "more"),
    "live_memory": Compared("live_memory", "less", "more", needs=_LIVE),
    "growth": Compared(
        "memory_growth", "less", "more", absolute=True, margin_of="held_memory", title="memory growth, B/1000 steps"
    ),
    "start_up": Compared("start_up", "faster", "slower"),
    "sent_bytes": Compared("sent_per_step", "less", "more", pick=_total),
    "drift": Compared("final_loss", "better", "worse", needs=_HELD_BACK, of_seeds=True),
    "loss_half_way": Compared(
        "loss_curve", "better", "worse", needs=_HELD_BACK, pick=_mean_until(0.5), of_seeds=True, title="loss half way"
    ),
    "loss_area": Compared(
        "loss_curve", "better", "worse", needs=_HELD_BACK, pick=_mean_until(1), of_seeds=True, title="mean loss"
    ),
    "steps_to_loss": Compared("steps_to_loss", "better", "worse", of_seeds=True),
    "accuracy": Compared(
        "accuracy",
        "better",
        "worse",
        lower_is_better=False,
        needs=_HELD_BACK,
        absolute=True,
        by_sample=True,
        of_seeds=True,
    ),
}
