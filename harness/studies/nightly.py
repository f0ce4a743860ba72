"""One night: every scenario measured in rounds, what is suspected put to the test, and what came of it.

Rounds, as long as the budget has room: each scenario once, then once more. What was changed since the last good night
is looked at in a duet of both; whatever is suspected, by that or by the series, is asked once more: in another duet
where software changed, else by the same software again. Of several changes, duets between them find the one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from itertools import islice
from pathlib import Path
from types import MappingProxyType
from typing import Any, ClassVar

import yaml

from harness.base.errors import HarnessError
from harness.execution.interruption import Interruption
from harness.judging.verdict import Verdict
from harness.statistics.sequential import LEVEL
from harness.storage import run_folder
from harness.studies import blame, in_process, night_answers, night_states, nights, rulings, study_folder, suspicion
from harness.studies.compare import Compare
from harness.studies.composite import Composite
from harness.studies.finding import Question
from harness.studies.night_budget import CONFIRM_LEVEL, LEAST_SECONDS, LOOKING, OF_MEANING, SHORT_RUNS, Asked, Budget
from harness.studies.nights import MEANING, OUTCOME, WHOLE, Answer, Measured, Night
from harness.studies.pairs import seconds_of
from harness.studies.study import Study, Trial, reopened
from harness.studies.study_folder import PARTS, StudyFolder
from harness.studies.study_folder import Answer as Answered
from harness.studies.suspicion import Suspect, by_look
from harness.studies.tonight import OUTCOME_RERUNS, RERUNS, Tonight
from harness.studies.tracked import Tracked
from harness.studies.watched import Watched, look, watched_from_json

NOTHING: Mapping[str, str] = MappingProxyType({})
ANOTHER_SEED = 1000


class Nightly(Composite):
    """``broken``: scenarios that could not even begin, and why."""

    name: ClassVar[str] = "nightly"

    def __init__(
        self,
        watched: Sequence[Watched],
        asked: Asked,
        facts: Mapping[str, Any],
        broken: Mapping[str, str] = NOTHING,
    ) -> None:
        super().__init__()
        self.broken = dict(broken)
        self.watched, self.asked_, self.facts = {each.key: each for each in watched}, asked, dict(facts)
        self.verdicts: dict[str, Verdict] = {}
        """Of each run, by its trial."""

        self.budget = Budget(asked)
        self.tonight = Tonight(asked, self.watched, self.facts, self.verdicts, self.parts, self.failures)

    # What was asked, as JSON

    @property
    def question(self) -> Mapping[str, Any]:
        return {
            "asked": asdict(self.asked_),
            "facts": self.facts,
            "broken": self.broken,
            "watched": [asdict(each) for each in self.watched.values()],
        }

    @classmethod
    def asked(cls, question: Mapping[str, Any], results: Path) -> Nightly:
        watched = [watched_from_json(each) for each in question["watched"]]
        return cls(watched, Asked(**question["asked"]), question["facts"], question["broken"])

    # Which trials

    @property
    def keys(self) -> Sequence[str]:
        """Of the parts that are known."""
        return [*self.parts, *self.failures]

    def wanted(self) -> Sequence[Trial]:
        for trials in (self._next_round, self._next_look, self._next_test):
            if found := trials():
                return found[:1]
        return []

    @property
    def rounds(self) -> int:
        """How many are complete."""
        return sum(not self._waiting(number) for number in range(1, self.asked_.repeat + 1))

    def _waiting(self, number: int) -> list[str]:
        """Scenarios that a round lacks."""
        return [key for key in self.watched if not self.tonight.done(f"round-{number}-{key}")]

    def _next_round(self) -> list[Trial]:
        """Of the first that is not complete: what failed before the night went on is tried again."""
        left = ((number, waiting) for number in range(1, self.asked_.repeat + 1) if (waiting := self._waiting(number)))
        number, waiting = next(left, (0, []))
        begun = len(waiting) < len(self.watched)
        if not waiting or not (begun or number == 1 or self._has_room_for_a_round):
            return []
        return [Trial(f"round-{number}-{key}", self._whole(key)) for key in waiting]

    @property
    def _has_room_for_a_round(self) -> bool:
        changed = any(each.changed for each in self.watched.values())
        return self.budget.has_room_for_a_round(self.rounds, changed)

    def _whole(self, key: str) -> str:
        return yaml.safe_dump(dict(self.watched[key].values), sort_keys=False, allow_unicode=True)

    def _next_look(self) -> list[Trial]:
        waiting = [name for name in self._looks if not self.tonight.done(f"look-{name}")]
        return [Trial(f"look-{name}") for name in waiting if self.budget.room(len(waiting), LOOKING) >= LEAST_SECONDS]

    @property
    def _looks(self) -> dict[str, tuple[Watched, str]]:
        """Every arm that is looked at, by the name of its look."""
        each = [(one, arm) for one in self.watched.values() for arm in one.arms if one.can_be_looked_at(arm)]
        return {look(arm, one.key): (one, arm) for one, arm in each}

    def _next_test(self) -> list[Trial]:
        return list(islice((trial for suspect in self.suspects for trial in self._tests(suspect)), 1))

    def _tests(self, suspect: Suspect) -> Iterator[Trial]:
        """What is still to be asked about a suspicion, as far as there is room."""
        if self.budget.room(1, 1.0) < LEAST_SECONDS:
            return
        each = self.tonight.of(suspect)
        steps = each.steps_of(suspect.arm)
        changed = bool(steps) and each.hindrance(suspect.arm) == ""
        if suspect.measure != OUTCOME and not each.has_then(suspect.arm):
            return  # whatever came of it, nothing would be decided
        if suspect.measure == OUTCOME:
            yield from self._runs(suspect, [len(steps), 0] if changed else [len(steps)], OUTCOME_RERUNS)
        elif changed:
            yield from self._part(f"confirm-{suspect.part}")
            if not rulings.is_confirmed(self.tonight, suspect) and suspect.by == "series":
                yield from self._runs(suspect, [0], RERUNS)
        else:
            yield from self._runs(suspect, [len(steps)], RERUNS)
        if changed and rulings.ruled(self.tonight, suspect)[0] == "software":
            yield from self._blaming(suspect)

    def _blaming(self, suspect: Suspect) -> Iterator[Trial]:
        """The comparison, or the runs, between then and now that halve what is left."""
        low, high = blame.left(self.tonight, suspect)
        if high - low < 2:
            return
        middle = (low + high) // 2
        if suspect.measure == OUTCOME:
            yield from self._runs(suspect, [middle], OUTCOME_RERUNS)
        else:
            yield from self._part(f"step-{middle}-{suspect.part}")

    def _runs(self, suspect: Suspect, counts: Sequence[int], times: int) -> Iterator[Trial]:
        """With so many of an arm's changes, in turns: of the arm alone, or of all as it is where nothing is undone."""
        each = self.tonight.of(suspect)
        for number in range(1, times + 1):
            for count in counts:
                if not self.tonight.done(key := f"with-{count}-{number}-{suspect.part}"):
                    alone = suspect.arm if len(counts) > 1 or count < len(each.steps_of(suspect.arm)) else WHOLE
                    whole = alone == WHOLE and count == len(each.steps_of(suspect.arm))
                    yield Trial(key, self._whole(each.key) if whole else each.scenario(alone, count))

    def _part(self, key: str) -> Iterator[Trial]:
        if not self.tonight.done(key):
            yield Trial(key)

    def made(self, key: str) -> Study:
        """A comparison of then and now, or of then and some of the changes."""
        verb, _, rest = key.partition("-")
        if verb == "look":
            each, arm = self._looks[rest]
            sharing = sum(not self.tonight.done(f"look-{name}") for name in self._looks)
            seconds, limit = self.budget.room(sharing, LOOKING), self.budget.left_for(sharing, LOOKING)
            seed = (1 + each.past.tried) * ANOTHER_SEED // 10
            seconds = max(seconds, LEAST_SECONDS)
            asked = Question("throughput", self.asked_.resolve, seconds, limit=limit, of_starts=True)
            return Compare(each.sides(arm, len(each.steps_of(arm)), seed), asked)
        suspect, count = self._meant(verb, rest)
        each = self.tonight.of(suspect)
        measure = "throughput" if suspect.measure == MEANING else suspect.measure
        plain = suspect.measure == MEANING and suspect.word != "broken"
        seed = ANOTHER_SEED * (1 + each.past.tried) + (0 if verb == "confirm" else 7 * (1 + count))
        resolve = self.asked_.resolve if verb == "confirm" else blame.half(self.tonight, suspect)
        waiting = sum(any(True for _ in self._tests(each)) for each in self.suspects)
        level, limit = CONFIRM_LEVEL if verb == "confirm" else LEVEL, self.budget.left_for(waiting, 1.0)
        limit = 0.0 if suspect.measure == MEANING else limit
        asked = Question(measure, resolve, self._seconds(verb, suspect), level=level, limit=limit, of_meaning=plain)
        return Compare(each.sides(suspect.arm, count, seed), asked)

    def _seconds(self, verb: str, suspect: Suspect) -> float:
        """What a comparison about a suspicion may take; which change brings what short runs show, short runs show."""
        if suspect.measure != MEANING:
            return max(self.budget.room(1, 1.0), LEAST_SECONDS)
        confirmed = self.tonight.compared(f"confirm-{suspect.part}")
        if verb == "step" and confirmed is not None and confirmed.short.differ_at_once:
            return SHORT_RUNS
        return max(min(self.budget.room(1, 1.0), OF_MEANING), LEAST_SECONDS)

    def _meant(self, verb: str, rest: str) -> tuple[Suspect, int]:
        """The suspicion that a part is about, and how many changes its second side has."""
        for suspect in self.suspects:
            whole = len(self.tonight.of(suspect).steps_of(suspect.arm))
            if verb == "confirm" and rest == suspect.part:
                return suspect, whole
            count, _, part = rest.partition("-")
            if verb == "step" and part == suspect.part:
                return suspect, int(count)
        raise LookupError(f"{verb}-{rest}")

    def run(
        self, trials: Sequence[Trial], folder: StudyFolder, interruption: Interruption, most: int | None
    ) -> Iterator[Answered]:
        """Runs in this process, comparisons as parts; what fails is an answer too."""
        for trial in trials:
            try:
                if trial.text:
                    yield from in_process.run([trial], folder, self._named(trial.key), interruption)
                else:
                    yield from super().run([trial], folder, interruption, most)
            except HarnessError as error:
                yield Answered(trial.key, "", str(error))

    def _named(self, key: str) -> str:
        return max((each for each in self.watched if key.endswith(each)), key=len, default="night")

    # What they say

    def add(self, key: str, verdict: Verdict | None, failure: str) -> str:
        if key.startswith(("round-", "with-")):
            return self._add_run(key, verdict, failure)
        if self.folder is None or not any(key.endswith(f"-{each}") for each in self.watched):
            raise LookupError(key)
        told = self._take(key, failure, self.folder)
        part = self.parts.get(key)
        self.budget.seconds += part.spending.taken if isinstance(part, Compare) else 0.0
        return told

    def _opened(self, key: str, folder: StudyFolder) -> tuple[Study, StudyFolder]:
        """A part that was begun is known by its folder, also where what failed before it is tried again."""
        known = folder.read_json(PARTS) if folder.has(PARTS) else {}
        if key in known:
            own = study_folder.find(folder.results, "", known[key])
            return reopened(Compare, own), own
        return super()._opened(key, folder)

    def _add_run(self, key: str, verdict: Verdict | None, failure: str) -> str:
        if not any(key.endswith(f"-{each}") for each in self.watched):
            raise LookupError(key)
        if verdict is None or self.folder is None:
            self.failures[key] = failure
            return f"{key}: {failure}"
        took = seconds_of(run_folder.find(self.folder.results, verdict.run))
        self.budget.add_run(took, key.startswith("round-"))
        self.verdicts[key] = verdict
        return f"{key}: {verdict.verdict}: {verdict.reason}"

    # What is suspected

    @property
    def suspects(self) -> list[Suspect]:
        """One for each arm and measure, the plainest reason first; not what the last night told of this software."""
        found: dict[tuple[str, str, str], Suspect] = {}
        for each in self.watched.values():
            told = each.told
            looks = {arm: self.tonight.compared(f"look-{look(arm, each.key)}") for arm in each.arms}
            suspects = [
                *suspicion.by_outcome(each, self.tonight.outcomes(each.key)),
                *(one for arm, seen in looks.items() if seen is not None for one in by_look(each, arm, seen)),
                *suspicion.by_series(each, self.tonight.numbers(each.key), self.asked_.resolve),
            ]
            for suspect in suspects:
                if (suspect.arm, suspect.measure) not in told:
                    found.setdefault((each.key, suspect.arm, suspect.measure), suspect)
        return list(found.values())

    # What came of it

    @property
    def answers(self) -> list[Answer]:
        """To every suspicion, and what the last night told of the same software."""
        again = [
            replace(answer, since=answer.since or each.past.night)
            for each in self.watched.values()
            if each.known is not None
            for answer in each.known.answers
            if answer.word == "software"
        ]
        return [*again, *(night_answers.answer(self.tonight, self._id, suspect) for suspect in self.suspects)]

    # The night as a whole

    @property
    def night(self) -> Night:
        """As it goes into the ledger."""
        found = [self._measured(each) for each in self.watched.values()]
        for key, why in self.broken.items():
            state: nights.State = "removed" if why == nights.REMOVED else "failed"
            found.append(Measured(key, Tracked({}), {}, {}, state, note=why))
        return Night(self._id, found, self.facts, self.rounds)

    @property
    def _id(self) -> str:
        return self.folder.id if self.folder is not None else ""

    def _measured(self, each: Watched) -> Measured:
        answers = [answer for answer in self.answers if answer.scenario == each.key]
        seen = self.tonight.seen(each)
        state, note = night_states.state(seen, answers)
        runs = [verdict.run for verdict in self.tonight.of_rounds(each.key)]
        numbers, outcomes = self.tonight.numbers(each.key), self.tonight.outcomes(each.key)
        return Measured(
            each.key,
            each.tracked,
            numbers,
            outcomes,
            state,
            runs,
            reference=each.past.night,
            note=note,
            answers=answers,
            facts=self.facts,
            looked=not seen.unlooked,
        )

    @property
    def in_words(self) -> str:
        states = [each.state for each in self.night.scenarios]
        counts = ", ".join(f"{states.count(word)} {word}" for word in dict.fromkeys(states))
        return f"{self.rounds} rounds of {len(self.watched)} scenarios: {counts or 'nothing yet'}"

    def summary(self) -> Mapping[str, Any]:
        return {"night": self.night.as_json(), "seconds": round(self.budget.seconds, 1), "failures": self.failures}
