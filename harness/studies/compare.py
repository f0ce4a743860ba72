"""Is B really slower than A? Pairs of runs until that is answered, or the budget is spent.

A pair is one fresh start of every side. Sides live at once and take turns of a few steps (a duet; Bulej and others,
2020), or run one after the other where they cannot. Pairs are the unit: their effects make a sequential interval,
which holds however often one looks.
"""

from __future__ import annotations

import itertools
import os
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

from harness.base.errors import ScenarioError
from harness.execution.interruption import Interruption
from harness.judging.verdict import Verdict
from harness.statistics.sequential import LEVEL
from harness.storage import history, run_folder
from harness.studies import in_process, meaning, pairs, sides, unmeasured
from harness.studies.comparison import ONE_SEED, SINCE, Comparison
from harness.studies.evidence import Evidence
from harness.studies.failed import is_unavailable, why_lost, why_not
from harness.studies.finding import Question
from harness.studies.pairs import Pair
from harness.studies.short_runs import BESIDE, MEANING
from harness.studies.sides import AGAIN, REPEATS, Sides
from harness.studies.study import Trial
from harness.studies.study_folder import Answer, StudyFolder
from harness.vocabulary.events import Ended, Event

LATER = f"{MEANING}-later"
"""Of a run: the first side beside itself, for as long as a pair; "-2" where sides run one after the other."""

AT_ONCE = 8
"""Seeds for each processor that are planned ahead; whoever runs them asks again."""

_KEY = re.compile(rf"{MEANING}(-repeated|-rounded|-later|-once-more)?(-\d+)?|pair-\d+")


class Compare(Comparison):
    """Which runs a comparison takes, and what each of them adds."""

    name: ClassVar[str] = "compare"

    def __init__(
        self, scenario: Sides, asked: Question, was_begun: bool = False, asks: Collection[str] = SINCE
    ) -> None:
        """ScenarioError for what cannot be planned; of one that ``was_begun`` it is what has changed."""
        super().__init__(scenario, asked, asks)
        self._first_diverged = False
        self._ran: dict[str, Any] = {}
        self._step = 0.0
        self._gone = ""
        try:
            sides.checked(self.pair(0), scenario.name)
        except ScenarioError as error:
            if not was_begun:
                raise
            self.changed = self._gone = f"{str(error).partition(': ')[2]}, but was when this was begun"

    @classmethod
    def asked(cls, question: Mapping[str, Any], results: Path) -> Compare:
        scenario = sides.parsed(question["name"], question["values"], question["sides"])
        given = {name: question[name] for name in ("measure", "resolve", "budget", "apart", "seeds")}
        rest = {"level": LEVEL, "limit": 0.0, "of_meaning": False, "beyond": False, "of_starts": False}
        asked = Question(**given, **{name: question.get(name, usual) for name, usual in rest.items()})
        study = cls(scenario, asked, was_begun=True, asks=SINCE & question.keys())
        study.unread = dict(question.get("unread", {}))
        return study

    # Which runs

    def wanted(self) -> Sequence[Trial]:
        if self._cannot_go_on:
            return []
        if (short := self.short.wanted(self.scenario, len(self.failed.lost), bool(self._done))) is not None:
            return [short]
        if self._wants_later:
            return [Trial(self._later, self.pair(0, self.ends.first_twice))]
        if self.over:
            return []
        count = 1 if not self.of_seeds else max(self.question_.seeds - len(self._done), os.cpu_count() or 1)
        count = min(count, AT_ONCE * (os.cpu_count() or 1))
        new = (number for number in itertools.count() if _key(number) not in self._done)
        numbers = itertools.chain(map(_number, sorted(self._again)), () if self._is_enough else new)
        return [Trial(_key(number), self.pair(number)) for number in itertools.islice(numbers, count)]

    @property
    def _later(self) -> str:
        """Whether sides live together or not, the first one is asked once."""
        return LATER if self.duet else f"{LATER}-2"

    def pair(self, number: int, of: Sides | None = None) -> str:
        """The scenario of a pair, of these sides; before a step's time is known, of any turns."""
        asked, of = self.question_, of or self.scenario
        needs, starts = asked.compared.needs, asked.asks_of_starts
        if not self.duet:
            seeds_alone = self.of_seeds and not self.scenario.has_faults
            return of.apart(number, needs, seeds_alone if seeds_alone or starts else None)
        among = len(self.scenario.sides)
        return pairs.duet(of, number, self._step, asked.resolve or pairs.RESOLVE, needs, starts, among)

    def run(
        self, trials: Sequence[Trial], folder: StudyFolder, interruption: Interruption, most: int | None
    ) -> Iterator[Answer]:
        """Run trials one after the other, in this process; InputError where this machine cannot run them.

        Those whose speed does not matter run side by side.
        """
        if len(trials) > 1:
            yield from super().run(trials, folder, interruption, most)
            return
        yield from in_process.run(trials, folder, self.scenario.name, interruption)

    # What they say

    def counts(self, verdict: Verdict) -> bool:
        """Runs that say nothing of any other side are made again: what kept them from it may be gone.

        Not where the first side's MXNet does not have what is asked.
        """
        own = (self.scenario.sides[0].name, AGAIN, *REPEATS)
        lost = [
            ended for arm in verdict.arms if arm.of in own and (ended := arm.ended) and ended.outcome != "completed"
        ]
        arms = [arm.of for arm in verdict.arms]
        if self.short.are_rounding(arms) or {*arms} == {own[0], AGAIN}:
            return True  # whatever came of it, it is not made again
        if self._other_than_before(verdict):  # as of a script that is as it was again
            return False
        return verdict.trusted and (not lost or any(map(is_unavailable, lost)))

    def _other_than_before(self, verdict: Verdict) -> list[str]:
        """In what a run differs from those before it."""
        if self.folder is None:
            return []
        return self._differing(pairs.what_ran(run_folder.find(self.folder.results, verdict.run), verdict.facts))

    def add(self, key: str, verdict: Verdict | None, failure: str) -> str:
        if not _KEY.fullmatch(key):
            raise LookupError(key)
        if key in BESIDE:
            return f"{key}: {self._add_beside(key, verdict, failure)}"
        if key.startswith(LATER):
            return f"{key}: {self._add_later(verdict, failure)}"
        if verdict is None or self.folder is None:
            return self._failed(key, failure, again=True)
        folder = run_folder.find(self.folder.results, verdict.run)
        seconds = pairs.seconds_of(folder)
        self.spending.add(seconds)
        differs = self._what_changed(pairs.what_ran(folder, verdict.facts))
        self.changed = differs or self._gone
        if differs:
            self._look()
            return self._failed(key, differs)
        ends = [(arm.of, arm.ended) for arm in verdict.arms if arm.ended is not None]
        lost = [(side, ended) for side, ended in ends if ended.outcome != "completed"]
        if not verdict.trusted:
            self._look()
            return self._failed(key, why_not(*lost[0], verdict.reason) if lost else verdict.reason, again=True)
        if key.startswith("pair-"):
            self._done.add(key)
            self._forget(key)
            if self.duet and not any(arm.turn for arm in folder.plan().arms):  # as a study that is opened again learns
                self._go_apart()
        if lost:
            return self._add_lost(key, self._without(verdict, seconds, {side for side, _ in lost}), lost)
        if not key.startswith("pair-"):
            return self._add_meaning(list(history.read(folder.path / "history.jsonl")))
        if self.duet:
            self.ended_early = unmeasured.ended_early(verdict, folder.plan())
            self._learn(history.read(folder.path / "history.jsonl"))
        return self._add_pair(key, verdict, seconds)

    def _what_changed(self, ran: Mapping[str, Any]) -> str:
        """Why a run is of something else than those before, or "": not each is of all sides."""
        changed = self._differing(ran)
        self._ran = {**ran, **self._ran}
        return f"{changed[0]} has changed since this was begun; begin a new comparison" if changed else ""

    def _differing(self, ran: Mapping[str, Any]) -> list[str]:
        return [name for name, before in self._ran.items() if name in ran and ran[name] != before]

    def passed_over(self, key: str, verdict: Verdict) -> None:
        """What it took counts as spent, as it did when it was made; a seed is made again, whatever is spent."""
        if key in BESIDE:
            self._add_beside(key, verdict, "")
            return
        took = 0.0
        if self.folder is not None:
            took = pairs.seconds_of(run_folder.find(self.folder.results, verdict.run))
        self.spending.add(took)
        other = self._other_than_before(verdict)
        self.left_out += [f"{verdict.run}, for which {name} had changed" for name in other[:1]]
        told = verdict.trusted and not other
        own = [arm.ended for arm in verdict.arms if arm.of not in self._names and arm.ended is not None]
        self._first_diverged |= told and any(ended.outcome == "diverged" for ended in own)
        if self.of_seeds and key.startswith("pair-") and told:
            self._forget(key)
            self._done.add(key)
            self._again[key] = Pair(verdict.run, took, {}, {})
            self._take(self._again[key])
        else:
            self._look()

    def _forget(self, key: str) -> None:
        """What a seed did not tell, once it is made again."""
        if (pair := self._again.pop(key, None)) is not None:
            self.evidence.pairs.remove(pair)

    def _failed(self, key: str, why: str, again: bool = False) -> str:
        """What keeps a run from saying anything is tried a few times; ``again``: also where the study is resumed."""
        self.failed.add(why, "to try again" if again else "in vain")
        return f"{key}: {why}"

    def _without(self, verdict: Verdict, seconds: float, lost: set[str]) -> Pair:
        """What a pair says of the sides that trained to their end; it counts, whatever disturbed it."""
        first, *others = self.scenario.sides
        rest = [side for side in others if side.name not in lost]
        if not rest or lost - set(self._names):
            return Pair(verdict.run, seconds, {}, {})
        kept = replace(self.scenario, sides=(first, *rest))
        return replace(pairs.pair_of(verdict, seconds, kept, self.duet), disturbed="")

    def _add_lost(self, key: str, pair: Pair, lost: Sequence[tuple[str, Ended]]) -> str:
        """Sides that did not train to their end; of the first side the others are not looked at."""
        first = next((each for each in lost if each[0] not in self._names), None)
        return self._add_first_lost(key, pair, *first) if first else self._add_others_lost(key, pair, dict(lost))

    def _add_first_lost(self, key: str, pair: Pair, side: str, ended: Ended) -> str:
        """It says nothing of any other side, but that a seed has no number."""
        self._first_diverged |= ended.outcome == "diverged"
        self.unavailable = why_lost(side, ended) if is_unavailable(ended) else ""
        if self.of_seeds and key.startswith("pair-"):
            self._take(pair)
        else:
            self._look()
        told = self._failed(key, why_lost(side, ended), again=True)
        return told + self._go_apart() if self._never_lived_together(key, [ended]) else told

    def _add_others_lost(self, key: str, pair: Pair, lost: Mapping[str, Ended]) -> str:
        """A side that does not train to its end where the first one does is part of the answer.

        Once, nothing is the same or faster any more; three times, or where its loss is not finite, it is the answer. In
        turns it may have lacked what both cannot have at once, as memory: then sides run one after the other.
        """
        why = {side: why_lost(side, ended) for side, ended in lost.items()}
        self.failed.add_lost(why)
        told = f"{key}: {self.failed.told[-1]}"
        if key.startswith(MEANING):
            self.evidence.fallen.update(lost)
        if self._never_lived_together(key, list(lost.values())):
            return told + self._go_apart()
        diverged = {side for side, each in lost.items() if each.outcome == "diverged" and not self._first_diverged}
        at_once = diverged if self.of_seeds or key.startswith(MEANING) else set()
        out = [side for side in lost if side in at_once or self.failed.is_out(side)]
        if not out:
            if key.startswith("pair-"):
                self._take(pair)
        elif self.duet and self.meanings and not diverged & {*out} and not any(map(self._has_trained, out)):
            told += self._go_apart()
        else:
            self.broken = "; ".join(why[side] for side in out)
        return told

    def _never_lived_together(self, key: str, ends: Sequence[Ended]) -> bool:
        """Whether sides that trained alone were lost three times in turns, one or the other, and no pair was whole.

        Where memory does not serve both at once, the kernel ends either.
        """
        in_turns = self.duet and key.startswith("pair-") and bool(self.meanings) and not self.unavailable
        whole = any(pair.effects for pair in self.evidence.pairs)
        diverged = any(ended.outcome == "diverged" for ended in ends)
        return in_turns and not diverged and self.failed.often and not whole

    def _go_apart(self) -> str:
        self.duet = False
        self.failed.begin_anew()
        self.ends = self._new_ends()
        self.unmeasured.clear()
        self.evidence = Evidence(self.scenario, self.question_, fallen=self.evidence.fallen)
        return "; from now on sides run one after the other"

    def _has_trained(self, side: str) -> bool:
        """Whether it did in any pair."""
        return any(side in effects for pair in self.evidence.pairs for effects in pair.effects.values())

    def _add_meaning(self, past: Sequence[Event]) -> str:
        self.failed.interrupted()
        if not self._step:
            self._step = pairs.step_seconds(past)
        return self.short.add(meaning.traces(past))

    def _add_beside(self, key: str, verdict: Verdict | None, failure: str) -> str:
        """What more short runs tell, of sides that came to their end; whatever it is, it is asked once."""
        if not self.short.found:
            return "of a run that is not there any more"
        if verdict is None or self.folder is None:
            self.short.add_beside(key, {})
            return failure
        folder = run_folder.find(self.folder.results, verdict.run)
        seconds = pairs.seconds_of(folder)
        self.spending.add_beside(seconds)
        if changed := self._differing(pairs.what_ran(folder, verdict.facts)):
            self.short.add_beside(key, {})
            return f"{changed[0]} has changed since"
        ends = {arm.of: arm.ended for arm in verdict.arms if verdict.trusted and arm.ended is not None}
        ended = {name for name, end in ends.items() if end.outcome == "completed"}
        found = meaning.traces(history.read(folder.path / "history.jsonl"))
        return self.short.add_beside(key, {name: traces for name, traces in found.items() if name in ended})

    def _add_later(self, verdict: Verdict | None, failure: str) -> str:
        """How far the first side ends from itself; it is asked once, whatever comes of it."""
        self.ends.add(None)
        if verdict is None or self.folder is None:
            return failure
        folder = run_folder.find(self.folder.results, verdict.run)
        seconds = pairs.seconds_of(folder)
        self.spending.add_beside(seconds)
        if changed := self._differing(pairs.what_ran(folder, verdict.facts)):
            return f"{changed[0]} has changed since"
        if not verdict.trusted:
            return verdict.reason
        self.ends.add(pairs.pair_of(verdict, seconds, self.ends.first_twice, self.duet).parted.get(AGAIN))
        return "; ".join(f"{side}: {found.sentence}" for side, found in self.meanings.items())

    def _learn(self, past: Iterable[Event]) -> None:
        """What a step takes: less than in the run for meaning, which also hashes every parameter in each."""
        step = pairs.step_seconds(past)
        self._step = min(self._step, step) if self._step and step else self._step or step

    def _add_pair(self, key: str, verdict: Verdict, seconds: float) -> str:
        found = pairs.pair_of(verdict, seconds, self.scenario, self.duet)
        sides_ = [side.name for side in self.scenario.sides]
        if self.of_seeds and (lost := unmeasured.without_loss(verdict, sides_, self.question_.measure)) is not None:
            side, why, diverged = lost
            self._first_diverged |= diverged and side not in self._names
            if not diverged or side not in self._names or self._first_diverged:
                self._take(self._without(verdict, seconds, {side}))
                return self._failed(key, why)
            self.broken = why
            return f"{key}: {why}"
        lacking = [name for name in self._names if name not in found.effects.get(self.question_.measure, {})]
        if not self.of_seeds and lacking:
            self.unmeasured.update({name: self._why_no_number(verdict, name) for name in lacking})
        if not self.of_seeds and len(lacking) == len(self._names):
            self._take(found)
            return self._failed(key, f"{self.question_.compared.name} was not measured: {self.unmeasured[lacking[0]]}")
        self.failed.interrupted()
        self._take(replace(found, disturbed="") if self.of_seeds else found)
        if self._seeds_do_nothing:
            self.broken = ONE_SEED
            return f"{key}: {self.broken}"
        pair = self.evidence.pairs[-1]
        left_out = "" if pair in self.evidence.counted else "; left out"
        key += f" ({pair.disturbed}{left_out})" if pair.disturbed else ""
        return f"{key}: {'; '.join(map(self._so_far, self.evidence.findings()))}"

    def _take(self, pair: Pair) -> None:
        self.evidence.pairs.append(pair)
        self._look()

    def _look(self) -> None:
        if not self.of_seeds or len(self._done) >= self.question_.seeds:
            self.spending.look(self.evidence)

    def _why_no_number(self, verdict: Verdict, side: str) -> str:
        first = self.scenario.sides[0].name
        return unmeasured.why_no_number(verdict, self.question_.compared, first, side, self.duet)


def _number(key: str) -> int:
    return int(key.removeprefix("pair-")) - 1


def _key(number: int) -> str:
    """The name of a pair, and with it of its seed: none counts twice."""
    return f"pair-{number + 1:03d}"
