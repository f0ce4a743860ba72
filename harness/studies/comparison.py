"""What a comparison is asked, what it knows, whether that is enough, and what it tells."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping
from dataclasses import asdict, replace
from typing import Any

from harness.base.errors import InputError
from harness.studies import without_effect
from harness.studies.compared import MEASURES
from harness.studies.ends import Ends
from harness.studies.enough import Enough
from harness.studies.evidence import Evidence
from harness.studies.failed import Failed
from harness.studies.finding import Finding, Question, as_json, is_decided, sentence
from harness.studies.meaning import Meaning
from harness.studies.pairs import Pair
from harness.studies.short_runs import ShortRuns
from harness.studies.sides import Sides
from harness.studies.spending import Spending
from harness.studies.study import Study

OF_ENDS, ONCE_MORE = "of_ends", "once_more"
SINCE = frozenset({OF_ENDS, ONCE_MORE})
"""What studies of before did not ask: whether the first side ends where it did, and once more what differs."""

SEEDS_ALIKE = 3
"""So many seeds with the same loss, bit by bit, change nothing."""

ONE_SEED = (
    "its seed changes nothing: each trains to the same loss, bit by bit, which says nothing of others; "
    "a script has to be given it, as in args: [--seed, '{seed}']"
)

_LABEL = 60
"""Characters of what a side changes, in a list."""


class Comparison(Study):
    """Two sides or more of one scenario; the first is what the others are compared with.

    ``unread``: variables of sides that nothing in their targets reads, with the nearest name that is read, or "".
    ``broken``: how another side failed, where that is the answer; ``unavailable``: what the first side's MXNet lacks;
    ``changed``: what is not what it was when this was begun. ``failed``: runs that said nothing, or lost another side.
    ``left_out``: runs of something else than those before, and of what. ``unmeasured``: of each other side, why some
    pair does not have the number that decides. ``ended_early``: what pairs lack, as training came to its own end.
    """

    def __init__(self, scenario: Sides, asked: Question, asks: Collection[str] = SINCE) -> None:
        """InputError for what cannot be answered."""
        _require_answerable(scenario, asked)
        self.scenario, self.question_ = scenario, asked
        self.of_seeds = asked.compared.of_seeds
        self.duet = not (asked.apart or self.of_seeds or scenario.has_faults or scenario.has_checkpoints)
        self.spending = Spending(asked.budget)
        self.evidence = Evidence(scenario, asked)
        self.unread: Mapping[str, str] = {}
        first, *others = [side.name for side in scenario.sides]
        self._asks = frozenset(asks)
        self.short = ShortRuns(first, others, ONCE_MORE in asks and not self.of_seeds)
        self.ends = self._new_ends()
        self.failed = Failed()
        self.broken = self.unavailable = self.changed = self.ended_early = ""
        self.left_out: list[str] = []
        self.unmeasured: dict[str, str] = {}
        self._again: dict[str, Pair] = {}
        self._done: set[str] = set()

    @property
    def question(self) -> Mapping[str, Any]:
        own = [{"name": side.name, "fields": dict(side.fields)} for side in self.scenario.sides]
        asked = {**asdict(self.question_), "unread": self.unread}
        asked |= dict.fromkeys(sorted(self._asks), True)
        return {"name": self.scenario.name, "values": self.scenario.values, "sides": own, **asked}

    def _new_ends(self) -> Ends:
        return Ends(self.scenario, self.of_seeds, OF_ENDS in self._asks)

    # Whether it is enough

    @property
    def over(self) -> bool:
        """Whether nothing more is to be run: it is answered, the budget is spent, or it cannot be answered."""
        return self._cannot_go_on or (self._is_enough and not self._again and not self._wants_later)

    @property
    def _cannot_go_on(self) -> bool:
        return bool(self.broken or self.unavailable or self.changed or self.failed.in_vain)

    @property
    def _wants_later(self) -> bool:
        return not self._cannot_go_on and self.ends.wanted(self.short.found, self.evidence)

    @property
    def _is_enough(self) -> bool:
        """Whether no further pair is to be run, but for seeds that are made again."""
        if self.question_.of_meaning and self.short.differ_at_once:
            return True
        if self.of_seeds and len(self._done) < self.question_.seeds:
            return False
        if self.lacks_numbers:
            return True
        return self.spending.is_over(self.evidence) or all(map(is_decided, self.evidence.findings()))

    @property
    def lacks_numbers(self) -> bool:
        """Whether no side is left that may be decided: each that is not has trained, and has no number in some pair."""
        waiting = [each for each in self.evidence.findings() if not is_decided(each)]
        lacking = [each.missing > 0 and each.side not in self.failed.fallen for each in waiting]
        return not self.of_seeds and bool(lacking) and all(lacking)

    @property
    def why_undecided(self) -> str:
        """What an answer would have taken, where there is none; "" where nobody can say."""
        if self.changed:
            return self.changed
        if self.unavailable or self.failed.in_vain:
            return self.failed.told[-1]
        if self.lacks_numbers and not self.broken:
            return "; ".join(dict.fromkeys(self.unmeasured.values()))
        return self.spending.why_no_answer(self.evidence) if self.over and not self.broken else ""

    def enough(self, finding: Finding) -> Enough | None:
        """What a finding that is not decided would take; None where nobody can say, or it is more than thousands."""
        return None if self._cannot_go_on else self.spending.enough(finding, self.evidence)

    def allow(self, budget: float) -> None:
        """Go on for longer, or not so long: the interval holds whoever stops when."""
        self.question_ = self.evidence.asked = replace(self.question_, budget=budget)

    # What is known, and told

    @property
    def meanings(self) -> Mapping[str, Meaning]:
        """What each other side computes, by short runs, and by where pairs ended if these were alike, bit by bit."""
        return {side: self.ends.meaning(side, found, self.evidence) for side, found in self.short.found.items()}

    @property
    def has_one_trajectory(self) -> bool:
        """Whether it ended since seeds change nothing, so that nothing can be said of either side."""
        return self.broken == ONE_SEED

    @property
    def _seeds_do_nothing(self) -> bool:
        """Whether the first side trains alike, bit by bit, whatever its seed: one trajectory, not many."""
        losses = [pair.first.get("drift") for pair in self.evidence.pairs] if self.of_seeds else []
        return len(losses) >= SEEDS_ALIKE and len(set(losses)) == 1

    def without_effect(self, side: str) -> str | None:
        """Why a setting did nothing here, where all that was computed is the same and no difference was seen."""
        found = self.meanings.get(side)
        other = next(each for each in self.evidence.others if each.name == side)
        if other.fields == self.scenario.sides[0].fields:
            return "it is the first side once more"
        parts = any(self.evidence.parted(side)) or not self.evidence.counted
        if found is None or found.word != "identical" or parts:
            return None
        return without_effect.why(self.evidence, other, self.unread)

    @property
    def _names(self) -> list[str]:
        return [side.name for side in self.evidence.others]

    @property
    def in_words(self) -> str:
        sides = "; ".join(f"{side.name}: {_cut(side.label)}" for side in self.scenario.sides)
        return f"{self.scenario.name}: {self._in_words} ({sides})"

    @property
    def _in_words(self) -> str:
        if self.broken:
            return self.broken
        different = (
            () if self.of_seeds else (side for side, found in self.meanings.items() if found.word == "different")
        )
        others = (f"{side} has another meaning" for side in different)
        found = map(self._so_far, self.evidence.findings()) if self.evidence.pairs else [self.nothing]
        return "; ".join([*others, *found])

    def _so_far(self, finding: Finding) -> str:
        return sentence(finding) if self.evidence.counted else "no pair counts yet"

    @property
    def nothing(self) -> str:
        """Why there is no pair to compare by."""
        if self.changed or self.failed.told:
            return f"nothing was compared: {self.changed or self.failed.told[-1]}"
        if self.question_.of_meaning and self.meanings:
            return "no pair was made: short runs tell what both compute"
        return "nothing was compared: the budget has no room for a pair" if self.over else "nothing was compared yet"

    def _as_json(self, finding: Finding) -> Mapping[str, Any]:
        """Of a side nothing is said where another one is lost."""
        said = replace(finding, word="undecided") if self.broken else finding
        enough, objection = self.enough(finding), self.evidence.objection(finding)
        margin = self.evidence.margin(finding.measure)
        return {
            **as_json(said),
            "margin": [margin.low, margin.high] if margin and math.isfinite(margin.low) else None,
            "pairs_needed": enough.pairs if enough else None,
            "budget_needed": math.ceil(enough.budget) if enough else None,
            "objection": as_json(objection) if objection and not self.broken else None,
            "without_effect": None if self.broken else self.without_effect(finding.side),
        }

    def _of_all_measures(self) -> Iterator[Finding]:
        """How each side compares by every measure that was taken, by itself."""
        for side in self.evidence.others:
            for name, measure in MEASURES.items():
                if measure.of_seeds == self.of_seeds and (found := self.evidence.finding(name, side)).mean is not None:
                    yield found

    def summary(self) -> Mapping[str, Any]:
        others, counted = self.scenario.sides[1:], {pair.run for pair in self.evidence.counted}
        return {
            "sides": {side.name: side.label for side in self.scenario.sides},
            "asked": asdict(self.question_),
            "unread": self.unread,
            "duet": self.duet,
            "meaning": {side: asdict(found) for side, found in self.meanings.items()},
            "answers": [self._as_json(finding) for finding in self.evidence.findings()],
            "measures": [as_json(finding) for finding in self._of_all_measures()],
            "why_undecided": self.why_undecided,
            "unmeasured": self.unmeasured,
            "ended_early": self.ended_early,
            "changed": self.changed,
            "convergence": {side.name: asdict(found) for side in others if (found := self.evidence.convergence(side))},
            "broken": self.broken,
            "failures": self.failed.told,
            "left_out": self.left_out,
            "seconds": round(self.spending.taken, 1),
            "pairs": [{**asdict(pair), "counts": pair.run in counted} for pair in self.evidence.pairs],
        }


def _require_answerable(scenario: Sides, asked: Question) -> None:
    if len(scenario.sides) < 2:
        raise InputError("one side has nothing to be compared with; give --b FIELD=VALUE, or a variant's name")
    if asked.measure == "steps_to_loss" and "target_loss" not in scenario.values["workload"]:
        raise InputError("steps_to_loss needs a loss to reach; give --set workload.target_loss=LOSS")
    if asked.measure == "waiting" and not scenario.has_several_workers:
        raise InputError("a single worker waits for nobody; give --set topology.workers=2, and a kvstore: dist_sync")
    if asked.measure == "sent_bytes" and not scenario.has_network:
        raise InputError("sent_bytes are counted on links, which there are none of; give --set topology.network={}")


def _cut(label: str) -> str:
    """As a line of a list has room for it."""
    return label if len(label) <= _LABEL else f"{label[: _LABEL - 1]}…"
