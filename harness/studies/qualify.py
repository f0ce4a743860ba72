"""May we upgrade? Every question that the harness can ask of two targets, each a study of its own, and what they say.

A row is `go` where nothing speaks against the new target, `no-go` with the reasons, or `not decided`. What is accepted
by name is told and does not count.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

from harness.base.errors import HarnessError
from harness.judging.verdict import Verdict
from harness.studies import accepted, starts, survival
from harness.studies.compare import Compare
from harness.studies.composite import Composite
from harness.studies.finding import Question
from harness.studies.operator_reasons import TIMED, fails, means, reason
from harness.studies.operators import Operators
from harness.studies.qualification import (
    DRIFT,
    LATENCY,
    OPERATORS,
    ROWS,
    SPEED,
    STARTS,
    SURVIVAL,
    Asked,
)
from harness.studies.row import Reason, Row, Word, accepting, ordered, worst
from harness.studies.side_reasons import LATENCIES, LEARNING, drift, latency, speed
from harness.studies.starts import Starts
from harness.studies.study import Study, Trial
from harness.studies.study_folder import PARTS
from harness.studies.survival import Survival
from harness.studies.unlike import SLOWER
from harness.targets import resolve

TITLES = {
    OPERATORS: "means the same",
    DRIFT: "trains the same",
    SPEED: "as fast, as small",
    "failures": "NaN, hang, crash",
}

LONGEST = 4.0
"""Budgets that a scenario's speed may take, where the pairs that an answer still takes fit: machines scatter."""

LATENCY_RESOLVE, LATENCY_SHARE = 0.1, 1 / 3
"""Of steps' seconds, which scatter more; and of the budget, as only what is worse by more counts."""


class Qualify(Composite):
    """A part for each question, of drift and speed one for each scenario."""

    name: ClassVar[str] = "qualify"

    def __init__(self, asked: Asked, was_begun: bool = False) -> None:
        """ScenarioError or InputError for what cannot be asked; of one that ``was_begun`` its parts tell."""
        self.asked_ = replace(
            asked, old=resolve.settle(asked.old, None, None), new=resolve.settle(asked.new, None, None)
        )
        super().__init__()
        self._was_begun = was_begun
        self.targets = (self.asked_.old, self.asked_.new)
        self.unfinished: dict[str, Study] = {}
        for key in self.keys:
            self.made(key)  # what cannot be asked is refused before anything runs

    @property
    def question(self) -> Mapping[str, Any]:
        return self.asked_.as_json()

    @classmethod
    def asked(cls, question: Mapping[str, Any], results: Path) -> Qualify:
        return cls(Asked.from_json(question), was_begun=True)

    @property
    def total(self) -> int:
        return len(self.keys)

    @property
    def keys(self) -> list[str]:
        """In order."""
        names = [name for name in self.asked_.scenarios if name not in self.asked_.with_faults]
        kinds = {DRIFT: (DRIFT,), SPEED: (SPEED, LATENCY) if self.asked_.latency else (SPEED,)}
        each = {
            row: [f"{kind}-{name}" for kind in kinds[row] for name in names] if row in kinds else [row] for row in ROWS
        }
        return [key for row in ROWS if row in self.asked_.rows for key in each[row]]

    def made(self, key: str) -> Study:
        asked, (row, _, name) = self.asked_, key.partition("-")
        if row == STARTS:
            return Starts(asked.old, asked.new, asked.scripts, asked.variables)
        if row == OPERATORS:
            return Operators(asked.old, asked.new, asked.operators, times=SPEED in asked.rows)
        if row == SURVIVAL:
            return Survival(asked.old, asked.new, asked.topologies, asked.faults, asked.with_faults)
        if row == DRIFT:
            question = Question(LEARNING, None, asked.budget, seeds=asked.seeds, beyond=True)
        elif row == LATENCY:
            resolve = max(asked.resolve, LATENCY_RESOLVE)
            question = Question(LATENCIES[-1], resolve, asked.budget * LATENCY_SHARE, beyond=True)
        else:
            limit = LONGEST * asked.budget
            question = Question("throughput", asked.resolve, asked.budget, limit=limit, beyond=True, of_starts=True)
        return Compare(asked.sides(name), question, self._was_begun)

    def add(self, key: str, verdict: Verdict | None, failure: str) -> str:
        """Of a part that did not come to its end, what it saw until then may be reason enough."""
        told = super().add(key, verdict, failure)
        if key in self.failures and self.folder is not None and self.folder.has(PARTS):
            with suppress(HarnessError):  # it may be damaged, or deleted since
                if key in self.folder.read_json(PARTS):
                    self.unfinished[key] = self._recalled(key, self.folder)
        return told

    # Which parts

    def wanted(self) -> Sequence[Trial]:
        if STARTS in self.parts and self._does_not_start:
            return []
        waiting = [key for key in self.keys if key not in self.parts and key not in self.failures]
        return [Trial(key) for key in waiting[:1]]

    @property
    def _does_not_start(self) -> bool:
        """Whether there is nothing to go on with."""
        found = self.parts[STARTS]
        return isinstance(found, Starts) and found.fails

    # What they say

    @property
    def rows(self) -> list[Row]:
        """Of what was asked; those that are accepted are told so."""
        known = accepted.of(self.folder)
        rows = [accepting(row, known) for row in self._rows()]
        seen = {name for row in rows for reason in row.reasons for name in (reason.name, reason.group)}
        unseen = [name for name in known if name not in seen]
        if rows and unseen:
            rows[-1] = replace(rows[-1], told=(*rows[-1].told, f"accepted, and not seen: {', '.join(unseen)}"))
        return rows

    def _rows(self) -> Iterator[Row]:
        asked = self.asked_.rows
        if STARTS in asked:
            yield self._of(STARTS, starts.TITLE, lambda study: study.row if isinstance(study, Starts) else None)
        if OPERATORS in asked:
            yield self._of(OPERATORS, TITLES[OPERATORS], lambda study: means(study, TITLES[OPERATORS]))
        if DRIFT in asked:
            yield self._of_scenarios(DRIFT, {DRIFT: partial(drift, of_meaning=SPEED not in asked)})
        if SPEED in asked:
            yield self._with_operators(self._of_scenarios(SPEED, {SPEED: speed, LATENCY: latency}))
        if SURVIVAL in asked:
            yield self._of(SURVIVAL, survival.TITLE, lambda study: study.row if isinstance(study, Survival) else None)
        if OPERATORS in asked:
            yield self._of(OPERATORS, TITLES["failures"], lambda study: fails(study, TITLES["failures"]))

    def _of(self, key: str, title: str, row: Callable[[Study], Row | None]) -> Row:
        study = self.parts.get(key) or self.unfinished.get(key)
        found = row(study) if study is not None else None
        if found is None or key not in self.parts:
            missing = Reason(self._missing(key), "not decided")
            return replace(found or Row(title), reasons=ordered([*(found.reasons if found else ()), missing]))
        return found

    def _of_scenarios(self, row: str, kinds: Mapping[str, Callable[[Compare, str], Iterator[Reason]]]) -> Row:
        """Reasons of each scenario, by what makes them of a part; what was found and is no reason is told."""
        against, evidence = list[Reason](), list[str]()
        told = [f"not asked: {why}" for why in self.asked_.left_out]
        keys = [key for key in self.keys if key.partition("-")[0] in kinds]
        for key in keys:
            study, (kind, _, name) = self.parts.get(key), key.partition("-")
            if not isinstance(study, Compare):
                why = self._missing(key).removeprefix(f"{name}: ")
                against.append(Reason(f"{name}: {why}", "not decided"))
                continue
            found = [replace(each, text=f"{name}: {each.text}") for each in kinds[kind](study, name)]
            against += [each for each in found if each.word != "go"]
            told += [each.text for each in found if each.word == "go"]
            evidence += [study.folder.id] if study.folder is not None else []
        if not keys:
            against.append(Reason("no scenario without faults was given", "not decided"))
        elif not against and all(isinstance(each, Compare) and each.unavailable for each in map(self.parts.get, keys)):
            against.append(Reason("the old one has nothing of what is asked: no scenario was trained", "not decided"))
        against += [Reason(each, "not decided") for each in self.asked_.unused if keys]
        return Row(TITLES[row], ordered([*dict.fromkeys(against)]), tuple(told), tuple(evidence))

    def _with_operators(self, row: Row) -> Row:
        """And which operators take longer, where all were called."""
        study = self.parts.get(OPERATORS)
        if not isinstance(study, Operators) or study.parity is None or study.folder is None:
            return row
        slower = [replace(reason(each), group=TIMED) for each in study.parity.differences if each.kind == SLOWER]
        told = f"calls of {study.timed} operators were timed"
        return Row(row.title, ordered([*row.reasons, *slower]), (*row.told, told), (*row.evidence, study.folder.id))

    def _missing(self, key: str) -> str:
        stopped = STARTS in self.parts and self._does_not_start
        return self.failures.get(key, "not asked, as it does not start" if stopped else "it was not asked yet")

    @property
    def word(self) -> Word:
        """Of all rows."""
        return worst(row.word for row in self.rows)

    @property
    def in_words(self) -> str:
        sides_ = f"{self.asked_.old} to {self.asked_.new}"
        return f"{sides_}: {self.word}; {', '.join(f'{row.title}: {row.word}' for row in self.rows)}"

    def summary(self) -> Mapping[str, Any]:
        return {"word": self.word, "rows": [row.as_json() for row in self.rows], "failures": self.failures}
