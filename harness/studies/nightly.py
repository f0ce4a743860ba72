"""One night: every scenario measured in rounds, what is suspected put to the test, and what came of it.

Rounds, as long as the budget has room: each scenario once, then once more. What was changed since the last good night
is looked at in a duet of both; whatever is suspected, by that or by the series, is asked once more: in another duet
where software changed, else by the same software again. Of several changes, duets between them find the one.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from statistics import median
from types import MappingProxyType
from typing import Any, ClassVar

import yaml

from harness.base.errors import HarnessError
from harness.execution.interruption import Interruption
from harness.judging.verdict import Verdict
from harness.statistics import shifts
from harness.statistics.sequential import LEVEL
from harness.storage import run_folder
from harness.studies import confirmation, in_process, night_states, nights, study_folder, suspicion
from harness.studies.compare import Compare
from harness.studies.compared import MEASURES
from harness.studies.composite import Composite
from harness.studies.finding import MOST_RESOLVED, Finding, Question
from harness.studies.night_states import Seen
from harness.studies.nights import MEANING, OF_OURS, OUTCOME, WHOLE, Answer, Measured, Moved, Night, Word
from harness.studies.pairs import seconds_of
from harness.studies.study import Study, Trial, reopened
from harness.studies.study_folder import PARTS, StudyFolder
from harness.studies.study_folder import Answer as Answered
from harness.studies.suspicion import Suspect, by_look, least_of, usual_of
from harness.studies.tracked import Tracked
from harness.studies.watched import Watched, look, watched_from_json

NOTHING: Mapping[str, str] = MappingProxyType({})
RERUNS, OUTCOME_RERUNS = 2, 3
LEAST_SECONDS = 20.0
"""A comparison with less time has no pair."""

OF_MEANING = 60.0
"""Seconds of what asks again whether something else is computed: what begins late shows in some pairs alone."""

SHORT_RUNS = 1.0
"""Seconds of what asks by short runs alone: no pair fits."""

CONFIRM_LEVEL = LEVEL / 10
"""Chance that a comparison which is to confirm says that alike sides differ: forty numbers, every night."""

LOOK = 0.5
"""Of what a comparison that confirms may take, a first look at what changed may."""

LOOKING, ROUNDS_IF_CHANGED, ROUNDS = 0.7, 0.4, 0.8
"""Shares of the budget: until when changed software is looked at, and rounds go on where any changed, or none."""

ANOTHER_SEED = 1000
_PLAINLY: Mapping[str, tuple[str, Callable[[float], float]]] = {
    "seconds_per_sample": ("samples/s", lambda seconds: 1 / seconds),
    "final_loss": ("final loss", float),
    "peak_memory": ("peak memory, MB", lambda size: size / 1e6),
    "held_memory": ("held memory, MB", lambda size: size / 1e6),
    "start_up": ("start-up, s", float),
}
"""How numbers of series are told to people: named, and in which unit."""

_MOVED = "its software changed since, and was taken for good then"
_DIGEST = re.compile(r"@[0-9a-f]{12}\b")
"""Of files in a cause: while nothing is mended, they are edited."""

_GROUND = "nothing that is tracked changed"
"""Outcomes in which the harness failed: no ending of the job."""


@dataclass(frozen=True)
class Asked:
    """How a night is spent: seconds in all, rounds at most, seconds of one comparison, and what counts as the same.

    Half of ``confirm`` told 1 % of two workers within seven nights in 56 to 78 of 100 cases (`benchmarks/nights`).
    """

    budget: float = 3600.0
    repeat: int = 5
    confirm: float = 600.0
    resolve: float = 0.01


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
        self.seconds = 0.0
        self.verdicts: dict[str, Verdict] = {}
        """Of each run, by its trial."""

        self._round_seconds = [0.0]

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

    def _done(self, key: str) -> bool:
        return key in self.verdicts or key in self.failures or key in self.parts

    @property
    def rounds(self) -> int:
        """How many are complete."""
        every = range(1, self.asked_.repeat + 1)
        return sum(all(self._done(f"round-{number}-{key}") for key in self.watched) for number in every)

    def _next_round(self) -> list[Trial]:
        number = self.rounds + 1
        waiting = [key for key in self.watched if not self._done(f"round-{number}-{key}")]
        begun = len(waiting) < len(self.watched)
        if not waiting or number > self.asked_.repeat or not (begun or number == 1 or self._has_room_for_a_round()):
            return []
        return [Trial(f"round-{number}-{key}", self._whole(key)) for key in waiting]

    def _whole(self, key: str) -> str:
        return yaml.safe_dump(dict(self.watched[key].values), sort_keys=False, allow_unicode=True)

    def _has_room_for_a_round(self) -> bool:
        """Whether one more fits in the share of the budget that rounds have."""
        share = ROUNDS_IF_CHANGED if any(each.changed for each in self.watched.values()) else ROUNDS
        took = sum(self._round_seconds) / max(1, self.rounds)
        return sum(self._round_seconds) + took <= share * self.asked_.budget

    def _next_look(self) -> list[Trial]:
        waiting = [name for name in self._looks if not self._done(f"look-{name}")]
        return [Trial(f"look-{name}") for name in waiting if self._room(len(waiting), LOOKING) >= LEAST_SECONDS]

    @property
    def _looks(self) -> dict[str, tuple[Watched, str]]:
        """Every arm that is looked at, by the name of its look."""
        each = [(one, arm) for one in self.watched.values() for arm in one.arms if one.can_be_looked_at(arm)]
        return {look(arm, one.key): (one, arm) for one, arm in each}

    def _room(self, sharing: int, until: float) -> float:
        """Seconds that each of so many comparisons may take."""
        most = self.asked_.confirm * (LOOK if until == LOOKING else 1)
        return min(most, self._left_for(sharing, until))

    def _left_for(self, sharing: int, until: float) -> float:
        """Seconds that are left for each of so many, in that share of the budget."""
        return (until * self.asked_.budget - self.seconds) / max(1, sharing)

    def _next_test(self) -> list[Trial]:
        suspects = self.suspects
        waiting = [trials[0] for suspect in suspects if (trials := list(self._tests(suspect)))]
        return waiting[:1]

    def _tests(self, suspect: Suspect) -> Iterator[Trial]:
        """What is still to be asked about a suspicion, as far as there is room."""
        if self._room(1, 1.0) < LEAST_SECONDS:
            return
        each = self.watched[suspect.watched]
        steps = each.steps_of(suspect.arm)
        changed = bool(steps) and each.hindrance(suspect.arm) == ""
        if suspect.measure == OUTCOME:
            yield from self._runs(suspect, [len(steps), 0] if changed else [len(steps)], OUTCOME_RERUNS)
        elif changed:
            yield from self._part(f"confirm-{suspect.part}")
            if not self._is_confirmed(suspect) and suspect.by == "series":
                yield from self._runs(suspect, [0], RERUNS)
        else:
            yield from self._runs(suspect, [len(steps)], RERUNS)
        if changed and self._is_software(suspect):
            yield from self._blaming(suspect)

    def _runs(self, suspect: Suspect, counts: Sequence[int], times: int) -> Iterator[Trial]:
        """With so many of an arm's changes, in turns: of the arm alone, or of all as it is where nothing is undone."""
        each = self.watched[suspect.watched]
        for number in range(1, times + 1):
            for count in counts:
                if not self._done(key := f"with-{count}-{number}-{suspect.part}"):
                    alone = suspect.arm if len(counts) > 1 or count < len(each.steps_of(suspect.arm)) else WHOLE
                    whole = alone == WHOLE and count == len(each.steps_of(suspect.arm))
                    yield Trial(key, self._whole(each.key) if whole else each.scenario(alone, count))

    def _part(self, key: str) -> Iterator[Trial]:
        if not self._done(key):
            yield Trial(key)

    def made(self, key: str) -> Study:
        """A comparison of then and now, or of then and some of the changes."""
        verb, _, rest = key.partition("-")
        if verb == "look":
            each, arm = self._looks[rest]
            sharing = sum(not self._done(f"look-{name}") for name in self._looks)
            seconds, limit = self._room(sharing, LOOKING), self._left_for(sharing, LOOKING)
            seed = (1 + each.past.tried) * ANOTHER_SEED // 10
            seconds = max(seconds, LEAST_SECONDS)
            asked = Question("throughput", self.asked_.resolve, seconds, limit=limit, of_starts=True)
            return Compare(each.sides(arm, len(each.steps_of(arm)), seed), asked)
        suspect, count = self._meant(verb, rest)
        each = self.watched[suspect.watched]
        measure = "throughput" if suspect.measure in (MEANING, "seconds_per_sample") else suspect.measure
        plain = suspect.measure == MEANING and suspect.word != "broken"
        seed = ANOTHER_SEED * (1 + each.past.tried) + (0 if verb == "confirm" else 7 * (1 + count))
        resolve = self.asked_.resolve if verb == "confirm" else self._half(suspect)
        waiting = sum(any(True for _ in self._tests(each)) for each in self.suspects)
        level, limit = CONFIRM_LEVEL if verb == "confirm" else LEVEL, self._left_for(waiting, 1.0)
        limit = 0.0 if suspect.measure == MEANING else limit
        asked = Question(measure, resolve, self._seconds(verb, suspect), level=level, limit=limit, of_meaning=plain)
        return Compare(each.sides(suspect.arm, count, seed), asked)

    def _seconds(self, verb: str, suspect: Suspect) -> float:
        """What a comparison about a suspicion may take; which change brings what short runs show, short runs show."""
        if suspect.measure != MEANING:
            return max(self._room(1, 1.0), LEAST_SECONDS)
        if verb == "step" and self._differs_at_once(suspect):
            return SHORT_RUNS
        return max(min(self._room(1, 1.0), OF_MEANING), LEAST_SECONDS)

    def _differs_at_once(self, suspect: Suspect) -> bool:
        study = self.parts.get(f"confirm-{suspect.part}")
        return isinstance(study, Compare) and study.short.differ_at_once

    def _half(self, suspect: Suspect) -> float:
        """Half of what was confirmed: a change that does less is not the one that is looked for."""
        study = self.parts.get(f"confirm-{suspect.part}")
        found = confirmation.finding(study, suspect) if isinstance(study, Compare) else None
        if found is None or found.mean is None or MEASURES[suspect.measure].absolute:
            return self.asked_.resolve
        return max(self.asked_.resolve, min(abs(found.mean.estimate) / 2, MOST_RESOLVED))

    def _meant(self, verb: str, rest: str) -> tuple[Suspect, int]:
        """The suspicion that a part is about, and how many changes its second side has."""
        for suspect in self.suspects:
            whole = len(self.watched[suspect.watched].steps_of(suspect.arm))
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
        self.seconds += part.spending.taken if isinstance(part, Compare) else 0.0
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
        self.seconds += took
        self._round_seconds += [took] if key.startswith("round-") else []
        self.verdicts[key] = verdict
        return f"{key}: {verdict.verdict}: {verdict.reason}"

    def _of_rounds(self, key: str) -> list[Verdict]:
        names = (f"round-{number}-{key}" for number in range(1, self.asked_.repeat + 1))
        return [self.verdicts[name] for name in names if name in self.verdicts]

    def numbers(self, key: str) -> dict[str, dict[str, list[float]]]:
        """Of each arm, by quantity: a number a round; of runs that can be trusted."""
        found: dict[str, dict[str, list[float]]] = {}
        for verdict in self._of_rounds(key):
            for arm, numbers in nights.numbers_of(verdict).items() if verdict.trusted else ():
                for quantity, value in numbers.items():
                    found.setdefault(arm, {}).setdefault(quantity, []).append(value)
        return found

    def outcomes(self, key: str) -> dict[str, list[str]]:
        """Of each arm: how it ended, round by round."""
        found: dict[str, list[str]] = {}
        for verdict in self._of_rounds(key):
            for arm, word in nights.outcomes_of(verdict).items():
                found.setdefault(arm, []).append(word)
        return found

    # What is suspected

    @property
    def suspects(self) -> list[Suspect]:
        """One for each arm and measure, the plainest reason first; not what the last night told of this software."""
        found: dict[tuple[str, str, str], Suspect] = {}
        for each in self.watched.values():
            told = each.told
            looks = {arm: self.parts.get(f"look-{look(arm, each.key)}") for arm in each.arms}
            suspects = [
                *suspicion.by_outcome(each, self.outcomes(each.key)),
                *(one for arm, seen in looks.items() if isinstance(seen, Compare) for one in by_look(each, arm, seen)),
                *suspicion.by_series(each, self.numbers(each.key), self.asked_.resolve),
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
        return [*again, *map(self._answer, self.suspects)]

    def _answer(self, suspect: Suspect) -> Answer:
        each = self.watched[suspect.watched]
        word, text = self._judged(suspect)
        cause = self._cause(suspect) if word == "software" else ""
        if word == "machine":
            cause = self._changed_facts(each, suspect)
        evidence = tuple(
            part.folder.id
            for key, part in self.parts.items()
            if key.endswith((suspect.part, f"look-{look(suspect.arm, each.key)}")) and part.folder is not None
        )
        night = self.folder.id if self.folder is not None else ""
        found = self._confirmed(suspect) if word == "software" else None
        id_ = self._id(suspect, cause, found)
        since = each.past.told.get(id_, night)
        own = (id_, each.key, suspect.arm, suspect.measure, word, f"{suspect.why}; {text}")
        effect = None if found is None or found.mean is None else found.mean.estimate
        return Answer(*own, cause, since, "", evidence, tuple(self._shown(suspect, word)), effect)

    def _shown(self, suspect: Suspect, word: Word) -> Iterator[str]:
        """Its number on the last good night and tonight, and what changed in files that are to blame."""
        each, quantity = self.watched[suspect.watched], suspect.quantity
        known = each.past.reference.numbers if each.past.reference is not None else {}
        both = [numbers.get(suspect.arm, {}).get(quantity, ()) for numbers in (known, self.numbers(each.key))]
        if quantity in _PLAINLY and all(both):
            name, plainly = _PLAINLY[quantity]
            then, now = (f"{plainly(median(values)):.6g}" for values in both)
            rounds = " and ".join(str(len(values)) for values in both)
            alone = f"each by itself, whatever else the machine did (medians of {rounds} rounds)"
            yield f"{name}: {then} on the last good night, {now} tonight, {alone}"
        if word == "software":
            low, high = self._left(suspect)
            yield from (line for step in each.steps_of(suspect.arm)[low:high] for line in step.lines)

    def _id(self, suspect: Suspect, cause: str, found: Finding | None) -> str:
        """The same while the same arm differs in the same way from the same good night, for the same reason.

        And by as much: where more came to what was told, or accepted, it is another matter. What has no size is another
        one with every other content of a file.
        """
        each = self.watched[suspect.watched]
        reason = cause if found is None else _DIGEST.sub("", cause)
        matter = (suspect.watched, suspect.arm, suspect.measure, suspect.word, each.past.night, reason)
        id_ = _digest(matter)
        known = {answer.id: answer.effect for answer in each.past.alerts if answer.measure == suspect.measure}
        alike = [one for one, effect in known.items() if one == id_ or one.startswith(f"{id_}-")]
        if not alike or any(not _has_grown(known[one], found) for one in alike):
            return next((one for one in alike if not _has_grown(known[one], found)), id_)
        return f"{id_}-{_digest((each.tracked.fingerprint,))[:4]}"

    def _confirmed(self, suspect: Suspect) -> Finding | None:
        """What was confirmed, where it has a size."""
        study = self.parts.get(f"confirm-{suspect.part}")
        absolute = suspect.measure in MEASURES and MEASURES[suspect.measure].absolute
        return confirmation.finding(study, suspect) if isinstance(study, Compare) and not absolute else None

    def _judged(self, suspect: Suspect) -> tuple[Word, str]:
        """What it is, and why that is said."""
        each = self.watched[suspect.watched]
        steps = each.steps_of(suspect.arm)
        hindrance = each.hindrance(suspect.arm)
        if suspect.measure == OUTCOME and not hindrance:
            return self._judged_outcome(suspect, bool(steps))
        if steps and not hindrance:
            return self._judged_change(suspect)
        again = self._unusual(suspect, len(steps))
        if hindrance:
            return "not decided", f"its software of then cannot be had back: {hindrance}"
        if self._moved_with_software(suspect):
            return "not decided", _MOVED
        if again is None:
            return "not decided", self._unknown(suspect, len(steps))
        if again:
            return "machine", f"{_GROUND}, and it is so again in {RERUNS} more runs"
        return "noise", f"{_GROUND}, and {RERUNS} more runs are as usual"

    def _unknown(self, suspect: Suspect, count: int) -> str:
        """Why runs with so many changes do not tell."""
        made = len(self._of_runs(suspect, count, RERUNS))
        return f"{made} more runs have no such number" if made == RERUNS else self._not_asked

    @property
    def _not_asked(self) -> str:
        return f"the budget of {self.asked_.budget:.0f} s had no room to ask again; give more, as in --budget 90min"

    @property
    def _not_looked_at(self) -> str:
        return (
            f"it was not looked at: a look takes {LEAST_SECONDS:.0f} s at least, and all of them share what rounds "
            f"leave of {LOOKING:.0%} of the budget, {self.asked_.budget:.0f} s; give more, as in --budget 90min"
        )

    def _judged_outcome(self, suspect: Suspect, changed: bool) -> tuple[Word, str]:
        each = self.watched[suspect.watched]
        whole = len(each.steps_of(suspect.arm))
        now, then = self._odd(suspect, whole), self._odd(suspect, 0) if changed else None
        if now is None or (changed and then is None):
            said_nothing = [each for count in {whole, 0} for each in self._ended(suspect, count) if each == ""]
            return "not decided", f"{len(said_nothing)} more runs say nothing" if said_nothing else self._not_asked
        told = f"{now} of {OUTCOME_RERUNS} more runs are so"
        if not changed:
            return ("machine" if now > 1 else "noise"), f"{_GROUND}; {told}"
        told += f", {then} with the software of then"
        if now == OUTCOME_RERUNS and not then:
            return "software", told
        return ("noise" if not now else "machine" if then and then > 1 else "not decided"), told

    def _odd(self, suspect: Suspect, count: int) -> int | None:
        """How many of the runs with so many changes ended otherwise than the reference.

        None before all are there, or where one of them says nothing.
        """
        reference = self.watched[suspect.watched].past.reference
        usual = usual_of(reference.outcomes.get(suspect.arm, ())) if reference else ""
        words = self._ended(suspect, count)
        return sum(word != usual for word in words) if len(words) == OUTCOME_RERUNS and all(words) else None

    def _ended(self, suspect: Suspect, count: int) -> list[str]:
        """How each run with so many changes ended; "" where the job did not answer: no verdict, or our failure."""
        each = [nights.outcomes_of(verdict) for verdict in self._of_runs(suspect, count, OUTCOME_RERUNS)]
        words = [one.get(suspect.arm, "" if suspect.arm == WHOLE else one.get("main", "")) for one in each]
        return ["" if {*word.split(", ")} & OF_OURS else word for word in words]

    def _of_runs(self, suspect: Suspect, count: int, times: int) -> list[Verdict]:
        names = [f"with-{count}-{number}-{suspect.part}" for number in range(1, times + 1)]
        return [self.verdicts[name] for name in names if name in self.verdicts]

    def _unusual(self, suspect: Suspect, count: int) -> bool | None:
        """Whether the middle of some runs is unlike the nights before; None before they are there."""
        quantity = suspect.quantity
        runs = [nights.numbers_of(verdict) for verdict in self._of_runs(suspect, count, RERUNS)]
        found = [numbers.get(suspect.arm, numbers.get("main", {})) for numbers in runs]
        values = [numbers[quantity] for numbers in found if quantity in numbers]
        each, moved = self.watched[suspect.watched], self._moved(suspect)
        before = each.past.history.get(suspect.arm, {}).get(quantity, ())
        if len(found) < RERUNS or not values:
            return None
        value = nights.in_log(quantity, median(values))
        if moved is not None:
            return abs(value - moved.after) < abs(value - moved.before)
        return shifts.is_unusual(before, value, least_of(quantity, self.asked_.resolve))

    def _moved(self, suspect: Suspect) -> Moved | None:
        """The level that moved, where that is what is suspected about."""
        known = self.watched[suspect.watched].past.moved
        return next((one for one in known if (one.arm, one.quantity) == (suspect.arm, suspect.quantity)), None)

    def _moved_with_software(self, suspect: Suspect) -> bool:
        """Whether a level moved on nights that had not all the software of the last good one."""
        moved, reference = self._moved(suspect), self.watched[suspect.watched].past.reference
        return moved is not None and (reference is None or moved.software != reference.tracked.fingerprint)

    def _judged_change(self, suspect: Suspect) -> tuple[Word, str]:
        """Software changed: another duet of then and now decides."""
        key = f"confirm-{suspect.part}"
        study = self.parts.get(key)
        if not isinstance(study, Compare):
            return "not decided", self.failures.get(key, self._not_asked)
        told = confirmation.said(study, suspect)
        if self._is_confirmed(suspect):
            return "software", f"asked again: {told}"
        if suspect.by == "series":
            again = self._unusual(suspect, 0)
            if again is None:
                return "not decided", f"{told}; {self._unknown(suspect, 0)}"
            if again and self._moved_with_software(suspect):
                return "not decided", f"{told}; {_MOVED}"
            if again and not confirmation.is_refuted(study, suspect):
                return "not decided", f"{told}; the software of then is so tonight, too"
            if again:
                return "machine", f"then and now are alike ({told}), and the software of then is so tonight, too"
        if confirmation.is_refuted(study, suspect):
            return "noise", f"asked again: {told}"
        return "not decided", "; ".join(filter(None, [f"asked again: {told}", study.why_undecided]))

    def _is_confirmed(self, suspect: Suspect) -> bool:
        study = self.parts.get(f"confirm-{suspect.part}")
        return isinstance(study, Compare) and confirmation.shows(study, suspect)

    def _is_software(self, suspect: Suspect) -> bool:
        return self._judged(suspect)[0] == "software"

    # Which change

    def _blaming(self, suspect: Suspect) -> Iterator[Trial]:
        """The comparison, or the runs, between then and now that halve what is left."""
        low, high = self._left(suspect)
        if high - low < 2:
            return
        middle = (low + high) // 2
        if suspect.measure == OUTCOME:
            yield from self._runs(suspect, [middle], OUTCOME_RERUNS)
        else:
            yield from self._part(f"step-{middle}-{suspect.part}")

    def _left(self, suspect: Suspect) -> tuple[int, int]:
        """Changes that are left to blame, from and to."""
        low, high = 0, len(self.watched[suspect.watched].steps_of(suspect.arm))
        while high - low > 1:
            middle = (low + high) // 2
            shows = self._shows_with(suspect, middle)
            if shows is None:
                break
            low, high = (low, middle) if shows else (middle, high)
        return low, high

    def _shows_with(self, suspect: Suspect, count: int) -> bool | None:
        """Whether so many changes are enough to show it; None where nobody knows."""
        if suspect.measure == OUTCOME:
            odd = self._odd(suspect, count)
            return None if odd is None else odd > OUTCOME_RERUNS // 2
        study = self.parts.get(f"step-{count}-{suspect.part}")
        if not isinstance(study, Compare):
            return None
        finding, shows = confirmation.finding(study, suspect), confirmation.shows(study, suspect)
        if finding is not None and not shows and not confirmation.is_refuted(study, suspect):
            return None
        if suspect.measure == MEANING and not (study.broken or study.meanings):
            return None
        unclear = any(found.word == "unknown" for found in study.meanings.values())
        if suspect.measure == MEANING and suspect.word != "broken" and unclear and not (study.broken or shows):
            return None
        return None if shows and self._is_less_than_half(finding, suspect) else shows

    def _is_less_than_half(self, found: Finding | None, suspect: Suspect) -> bool:
        """Whether it is less than half of what was confirmed: another change may do more."""
        if found is None or found.mean is None or MEASURES[suspect.measure].absolute:
            return False
        return abs(found.mean.estimate) < self._half(suspect)

    def _cause(self, suspect: Suspect) -> str:
        low, high = self._left(suspect)
        steps = self.watched[suspect.watched].steps_of(suspect.arm)[low:high]
        one_of = "one of: " if len(steps) > 1 else ""
        return one_of + "; ".join(step.what for step in steps)

    def _changed_facts(self, each: Watched, suspect: Suspect) -> str:
        """Since the night before the level moved, or the last good one."""
        moved, known = self._moved(suspect), each.past.reference or each.past.last
        before = moved.facts if moved is not None else known.facts if known is not None else {}
        told = [
            f"{name}: {before[name]} → {value}"
            for name, value in self.facts.items()
            if name in before and before[name] != value
        ]
        told += [step.what for step in each.steps.get(each.arms[0], ()) if not step.fields and not step.why]
        return "; ".join(told) or "no fact of the machine that is kept changed"

    # The night as a whole

    @property
    def night(self) -> Night:
        """As it goes into the ledger."""
        found = [self._measured(each) for each in self.watched.values()]
        for key, why in self.broken.items():
            state: nights.State = "removed" if why == nights.REMOVED else "failed"
            found.append(Measured(key, Tracked({}), {}, {}, state, note=why))
        return Night(self.folder.id if self.folder is not None else "", found, self.facts, self.rounds)

    def _measured(self, each: Watched) -> Measured:
        answers = [answer for answer in self.answers if answer.scenario == each.key]
        seen = self._seen(each)
        state, note = night_states.state(seen, answers)
        runs = [verdict.run for verdict in self._of_rounds(each.key)]
        numbers, outcomes = self.numbers(each.key), self.outcomes(each.key)
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
            looked=not night_states.unlooked(seen),
        )

    def _seen(self, each: Watched) -> Seen:
        """What its state is told by."""
        rounds = (f"round-{number}-{each.key}" for number in range(1, self.asked_.repeat + 1))
        failed = [self.failures[key] for key in rounds if key in self.failures]
        looks = {arm: self._look(each, arm) for arm in each.arms}
        return Seen(each, self._of_rounds(each.key), failed, looks)

    def _look(self, each: Watched, arm: str) -> Compare | str:
        """The look at what changed, or why there is none."""
        key = f"look-{look(arm, each.key)}"
        study = self.parts.get(key)
        return study if isinstance(study, Compare) else self.failures.get(key, self._not_looked_at)

    @property
    def in_words(self) -> str:
        states = [each.state for each in self.night.scenarios]
        counts = ", ".join(f"{states.count(word)} {word}" for word in dict.fromkeys(states))
        return f"{self.rounds} rounds of {len(self.watched)} scenarios: {counts or 'nothing yet'}"

    def summary(self) -> Mapping[str, Any]:
        return {"night": self.night.as_json(), "seconds": round(self.seconds, 1), "failures": self.failures}


def _digest(matter: Sequence[str]) -> str:
    return hashlib.sha256("|".join(matter).encode()).hexdigest()[:8]


def _has_grown(before: float | None, now: Finding | None) -> bool:
    """Whether all of an interval is farther from nothing than what was told before."""
    if before is None or now is None or now.mean is None:
        return False
    return min(abs(now.mean.low), abs(now.mean.high)) > abs(before) and now.mean.estimate * before > 0
