"""Is B really slower than A? Pairs of runs until that is answered, or the budget is spent.

A pair is one fresh start of every side. Sides live at once and take turns of a few steps (a duet; Bulej and others,
2020), or run one after the other where they cannot. Pairs are the unit: their effects make a sequential interval,
which holds however often one looks.
"""

from __future__ import annotations

import itertools
import math
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, ClassVar

from harness.base.errors import InputError, ScenarioError
from harness.execution.interruption import Interruption
from harness.judging.verdict import Verdict
from harness.statistics.sequential import LEVEL, MIN_VALUES
from harness.storage import history, run_folder
from harness.studies import in_process, meaning, pairs, sides, without_effect
from harness.studies.compared import LOSSES, MEASURES
from harness.studies.ends import Ends
from harness.studies.enough import NEXT_LOOK, Course, Enough
from harness.studies.evidence import OF_SEEDS, Evidence
from harness.studies.failed import Failed, is_unavailable, why_lost, why_not
from harness.studies.finding import Finding, Question, as_json, is_decided, sentence
from harness.studies.meaning import Meaning, Traces
from harness.studies.pairs import Pair
from harness.studies.short_runs import ONCE_MORE, ShortRuns
from harness.studies.sides import AGAIN, REPEATS, Sides
from harness.studies.study import Study, Trial
from harness.studies.study_folder import Answer, StudyFolder
from harness.vocabulary.events import Ended, Event
from harness.vocabulary.quantities import different

MEANING, REPEATED, OTHERWISE, LATER = "meaning", "meaning-repeated", "meaning-rounded", "meaning-later"
_LABEL = 60
"""Characters of what a side changes, in a list."""

AT_ONCE = 8
"""Seeds for each processor that are planned ahead; whoever runs them asks again."""

MORE = tuple(f"meaning-once-more-{number}" for number in range(1, ONCE_MORE + 1))
_KEY = re.compile(r"meaning(-repeated|-rounded|-later|-once-more)?(-\d+)?|pair-\d+")
MEANING_STEPS = 24
SEEDS_ALIKE = 3
"""So many seeds with the same loss, bit by bit, change nothing."""

_ONE_SEED = (
    "its seed changes nothing: each trains to the same loss, bit by bit, which says nothing of others; "
    "a script has to be given it, as in args: [--seed, '{seed}']"
)


class Compare(Study):
    """Two sides or more of one scenario; the first is what the others are compared with.

    ``unread``: variables of sides that nothing in their targets reads, with the nearest name that is read, or "".
    ``broken``: how another side failed, where that is the answer; ``unavailable``: what the first side's MXNet lacks;
    ``changed``: what is not what it was when this was begun. ``failed``: runs that said nothing, or lost another side.
    ``left_out``: runs of something else than those before, and of what. ``unmeasured``: of each other side, why some
    pair does not have the number that decides. ``ended_early``: what pairs lack, as training came to its own end.
    """

    name: ClassVar[str] = "compare"

    def __init__(self, scenario: Sides, asked: Question, was_begun: bool = False) -> None:
        """ScenarioError for what cannot be planned; of one that ``was_begun`` it is what has changed."""
        if len(scenario.sides) < 2:
            raise InputError("one side has nothing to be compared with; give --b FIELD=VALUE, or a variant's name")
        if asked.measure == "steps_to_loss" and "target_loss" not in scenario.values["workload"]:
            raise InputError("steps_to_loss needs a loss to reach; give --set workload.target_loss=LOSS")
        if asked.measure == "waiting" and not scenario.has_several_workers:
            raise InputError(
                "a single worker waits for nobody; give --set topology.workers=2, and a kvstore: dist_sync"
            )
        if asked.measure == "sent_bytes" and not scenario.has_network:
            raise InputError("sent_bytes are counted on links, which there are none of; give --set topology.network={}")
        self.scenario, self.question_ = scenario, asked
        self.of_seeds = asked.compared.of_seeds
        self.duet = not (asked.apart or self.of_seeds or scenario.has_faults or scenario.has_checkpoints)
        self._planned = asked.budget
        self.evidence = Evidence(scenario, asked)
        self.unread: Mapping[str, str] = {}
        self.short = ShortRuns(scenario.sides[0].name, [side.name for side in scenario.sides[1:]])
        self._asks_of_ends, self._asks_once_more = True, True
        self.ends = self._new_ends()
        self.failed = Failed()
        self._again: dict[str, Pair] = {}
        self.broken = ""
        self.unavailable = ""
        self.changed = self._gone = ""
        self.left_out: list[str] = []
        self.unmeasured: dict[str, str] = {}
        self.ended_early = ""
        self._first_diverged = False
        self._ran: dict[str, Any] = {}
        self.seconds = 0.0
        self._beside = 0.0
        self._step = 0.0
        self._done: set[str] = set()
        try:
            sides.checked(self.pair(0), scenario.name)
        except ScenarioError as error:
            if not was_begun:
                raise
            self.changed = self._gone = f"{str(error).partition(': ')[2]}, but was when this was begun"

    @property
    def question(self) -> Mapping[str, Any]:
        own = [{"name": side.name, "fields": dict(side.fields)} for side in self.scenario.sides]
        asked = {**asdict(self.question_), "unread": self.unread}
        asked |= {"of_ends": True} if self._asks_of_ends else {}
        asked |= {"once_more": True} if self._asks_once_more else {}
        return {"name": self.scenario.name, "values": self.scenario.values, "sides": own, **asked}

    @classmethod
    def asked(cls, question: Mapping[str, Any], results: Path) -> Compare:
        scenario = sides.parsed(question["name"], question["values"], question["sides"])
        given = {name: question[name] for name in ("measure", "resolve", "budget", "apart", "seeds")}
        rest = {"level": LEVEL, "limit": 0.0, "of_meaning": False, "beyond": False, "of_starts": False}
        asked = Question(**given, **{name: question.get(name, usual) for name, usual in rest.items()})
        study = cls(scenario, asked, was_begun=True)
        study.unread = dict(question.get("unread", {}))
        study._asks_of_ends, study._asks_once_more = "of_ends" in question, "once_more" in question
        study.ends = study._new_ends()
        return study

    def _new_ends(self) -> Ends:
        return Ends(self.scenario, self.of_seeds, self._asks_of_ends)

    # Which runs

    def wanted(self) -> Sequence[Trial]:
        if not (self.meanings or self.broken or self.unavailable or self.changed):
            if self.failed.in_vain:
                return []
            if self.short.want_repeats:
                return [Trial(self._numbered(REPEATED), self.scenario.repeated(MEANING_STEPS))]
            return [Trial(self._numbered(MEANING), self.scenario.meaning(MEANING_STEPS))]
        if not self._done and self.short.want_rounding and (text := self.scenario.rounded(MEANING_STEPS)) is not None:
            return [Trial(OTHERWISE, text)]
        if self._wants_once_more and (doubtful := self.short.in_doubt):
            return [Trial(MORE[self.short.tried], self.scenario.once_more(MEANING_STEPS, doubtful))]
        if self._wants_later:
            return [Trial(self._later, self.pair(0, self.ends.first_twice))]
        if self.over:
            return []
        count = 1 if not self.of_seeds else max(self.question_.seeds - len(self._done), os.cpu_count() or 1)
        count = min(count, AT_ONCE * (os.cpu_count() or 1))
        new = (number for number in itertools.count() if _key(number) not in self._done)
        numbers = itertools.chain(map(_number, sorted(self._again)), () if self._is_enough else new)
        return [Trial(_key(number), self.pair(number)) for number in itertools.islice(numbers, count)]

    def _numbered(self, key: str) -> str:
        """Of a run that is made again, as a side was lost in it: each counts, also when the study is opened again."""
        return f"{key}-{len(self.failed.lost) + 1}" if self.failed.lost else key

    @property
    def over(self) -> bool:
        """Whether nothing more is to be run: it is answered, the budget is spent, or it cannot be answered."""
        return self._cannot_go_on or (self._is_enough and not self._again and not self._wants_later)

    @property
    def _cannot_go_on(self) -> bool:
        return bool(self.broken or self.unavailable or self.changed or self.failed.in_vain)

    @property
    def _later(self) -> str:
        """Whether sides live together or not, the first one is asked once."""
        return LATER if self.duet else f"{LATER}-2"

    @property
    def _wants_once_more(self) -> bool:
        """Not where training goes is the question, which many seeds answer, and not once there are pairs."""
        return self._asks_once_more and not self.of_seeds and not self._done

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
        spent = self._spent + (self.evidence.usual_seconds or 0.0) > self.question_.budget
        return (spent and not self._goes_on) or all(map(is_decided, self.evidence.findings()))

    @property
    def lacks_numbers(self) -> bool:
        """Whether no side is left that may be decided: each that is not has trained, and has no number in some pair."""
        waiting = [each for each in self.evidence.findings() if not is_decided(each)]
        lacking = [each.missing > 0 and each.side not in self.failed.fallen for each in waiting]
        return not self.of_seeds and bool(lacking) and all(lacking)

    @property
    def _spent(self) -> float:
        """Of the budget: to look into rounding is not of it, as few need that."""
        return self.seconds - self._beside

    @property
    def _goes_on(self) -> bool:
        """Whether what an answer may still take fits into what may be spent beyond the budget.

        By luck few pairs are off by enough to make an answer look far; the interval holds whoever stops when.
        """
        lacking, usual = self._lacking(lambda finding: finding.soonest), self.evidence.usual_seconds or 0.0
        has_looked = len(self.evidence.counted) >= MIN_VALUES
        if lacking is None or (has_looked and self.question_.limit < NEXT_LOOK * self._planned):
            return False
        return self._spent + max(lacking, 1) * usual <= self.question_.limit

    def _lacking(self, in_all: Callable[[Finding], int | None]) -> int | None:
        """Pairs that answers still take, of those in all; None where nobody can say, or it is more than thousands.

        Without an interval, those that it takes to have one.
        """
        count = len(self.evidence.counted)
        if count < MIN_VALUES:
            return MIN_VALUES - count
        needed = [in_all(finding) for finding in self.evidence.findings() if not is_decided(finding)]
        return max(each - count for each in needed if each) if all(needed) and needed else None

    @property
    def why_undecided(self) -> str:
        """What an answer would have taken, where there is none; "" where nobody can say."""
        if self.unavailable or self.changed or self.failed.in_vain:
            return self.failed.told[-1]
        lacking, usual = self._lacking(lambda finding: finding.more), self.evidence.usual_seconds
        if not self.over or self.broken or usual is None or lacking is None:
            return ""
        few = len(self.evidence.counted) < MIN_VALUES
        if not few:
            lacking = self._lacking(lambda finding: found.pairs if (found := self.enough(finding)) else None)
        if lacking is None:
            return ""
        what = "an interval" if few else "an answer"
        return f"{what} takes {lacking} more pairs, about {lacking * usual:.0f} s, and there was no time for them"

    def enough(self, finding: Finding) -> Enough | None:
        """What a finding that is not decided would take; None where nobody can say, or it is more than thousands."""
        usual, count = self.evidence.usual_seconds, len(self.evidence.counted)
        if not usual or finding.more is None or is_decided(finding) or self._cannot_go_on:
            return None
        if finding.mean is None or math.isinf(finding.mean.half):
            return None
        level, least = self.evidence.level(self.question_.measure), OF_SEEDS if self.of_seeds else 0.0
        course = Course(self._planned, self._spent, usual, count, self.evidence.looks, level, least)
        return course.enough(finding.more)

    def allow(self, budget: float) -> None:
        """Go on for longer, or not so long: the interval holds whoever stops when."""
        self.question_ = replace(self.question_, budget=budget)

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
        if key == OTHERWISE or key in MORE:
            add = self.short.add_once_more if key in MORE else self.short.add_rounded
            return f"{key}: {self._add_beside(verdict, failure, add)}"
        if key.startswith(LATER):
            return f"{key}: {self._add_later(verdict, failure)}"
        if verdict is None or self.folder is None:
            return self._failed(key, failure, again=True)
        folder = run_folder.find(self.folder.results, verdict.run)
        seconds = pairs.seconds_of(folder)
        self.seconds += seconds
        differs = self._what_changed(pairs.what_ran(folder, verdict.facts))
        self.changed = differs or self._gone
        if differs:
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
            self.ended_early = pairs.ended_early(verdict, folder.plan())
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
        took = 0.0
        if self.folder is not None:
            took = pairs.seconds_of(run_folder.find(self.folder.results, verdict.run))
        self.seconds += took
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

    def _add_beside(self, verdict: Verdict | None, failure: str, add: Callable[[Mapping[str, Traces]], str]) -> str:
        """What more short runs tell, of sides that came to their end; whatever it is, it is asked once."""
        if not self.short.found:
            return "of a run that is not there any more"
        if verdict is None or self.folder is None:
            add({})
            return failure
        folder = run_folder.find(self.folder.results, verdict.run)
        seconds = pairs.seconds_of(folder)
        self.seconds, self._beside = self.seconds + seconds, self._beside + seconds
        if changed := self._differing(pairs.what_ran(folder, verdict.facts)):
            add({})
            return f"{changed[0]} has changed since"
        ends = {arm.of: arm.ended for arm in verdict.arms if verdict.trusted and arm.ended is not None}
        ended = {name for name, end in ends.items() if end.outcome == "completed"}
        found = meaning.traces(history.read(folder.path / "history.jsonl"))
        return add({name: traces for name, traces in found.items() if name in ended})

    def _add_later(self, verdict: Verdict | None, failure: str) -> str:
        """How far the first side ends from itself; it is asked once, whatever comes of it."""
        self.ends.add(None)
        if verdict is None or self.folder is None:
            return failure
        folder = run_folder.find(self.folder.results, verdict.run)
        seconds = pairs.seconds_of(folder)
        self.seconds, self._beside = self.seconds + seconds, self._beside + seconds
        if changed := self._differing(pairs.what_ran(folder, verdict.facts)):
            return f"{changed[0]} has changed since"
        if not verdict.trusted:
            return verdict.reason
        self.ends.add(pairs.pair_of(verdict, seconds, self.ends.first_twice, self.duet).parted.get(AGAIN))
        return "; ".join(f"{side}: {found.sentence}" for side, found in self.meanings.items())

    @property
    def meanings(self) -> Mapping[str, Meaning]:
        """What each other side computes, by short runs, and by where pairs ended if these were alike, bit by bit."""
        return {side: self.ends.meaning(side, found, self.evidence) for side, found in self.short.found.items()}

    def _learn(self, past: Iterable[Event]) -> None:
        """What a step takes: less than in the run for meaning, which also hashes every parameter in each."""
        step = pairs.step_seconds(past)
        self._step = min(self._step, step) if self._step and step else self._step or step

    def _add_pair(self, key: str, verdict: Verdict, seconds: float) -> str:
        found = pairs.pair_of(verdict, seconds, self.scenario, self.duet)
        if self.of_seeds and (lost := self._without_loss(verdict)) is not None:
            side, why, diverged = lost
            self._first_diverged |= diverged and side not in self._names
            if not diverged or side not in self._names or self._first_diverged:
                self._take(self._without(verdict, seconds, {side}))
                return self._failed(key, why)
            self.broken = why
            return f"{key}: {why}"
        lacking = [name for name in self._names if name not in found.effects.get(self.question_.measure, {})]
        if not self.of_seeds and lacking:
            self.unmeasured.update({name: self._why_not(verdict, name) for name in lacking})
        if not self.of_seeds and len(lacking) == len(self._names):
            self._take(found)
            return self._failed(key, f"{self.question_.compared.name} was not measured: {self.unmeasured[lacking[0]]}")
        self.failed.interrupted()
        self._take(replace(found, disturbed="") if self.of_seeds else found)
        if self._seeds_do_nothing:
            self.broken = _ONE_SEED
            return f"{key}: {self.broken}"
        pair = self.evidence.pairs[-1]
        left_out = "" if pair in self.evidence.counted else "; left out"
        key += f" ({pair.disturbed}{left_out})" if pair.disturbed else ""
        return f"{key}: {'; '.join(map(self._so_far, self.evidence.findings()))}"

    @property
    def has_one_trajectory(self) -> bool:
        """Whether it ended since seeds change nothing, so that nothing can be said of either side."""
        return self.broken == _ONE_SEED

    @property
    def _seeds_do_nothing(self) -> bool:
        """Whether the first side trains alike, bit by bit, whatever its seed: one trajectory, not many."""
        losses = [pair.first.get("drift") for pair in self.evidence.pairs] if self.of_seeds else []
        return len(losses) >= SEEDS_ALIKE and len(set(losses)) == 1

    def _so_far(self, finding: Finding) -> str:
        return sentence(finding) if self.evidence.counted else "no pair counts yet"

    def _take(self, pair: Pair) -> None:
        self.evidence.pairs.append(pair)
        self._look()

    def _look(self) -> None:
        if not self.of_seeds or len(self._done) >= self.question_.seeds:
            self.evidence.look(self._spent, self._planned, OF_SEEDS if self.of_seeds else 0.0)

    def _why_not(self, verdict: Verdict, side: str) -> str:
        """What a side and the first one say of a number that they do not have."""
        measure, two = self.question_.compared, (self.scenario.sides[0].name, side)
        arms = [arm for arm in verdict.arms if arm.of in two]
        steps = pairs.steps_of(verdict)
        if self.duet and len({steps.get(name) for name in two}) > 1:
            return (
                " and ".join(f"{name} took {steps.get(name, 'no')} steps" for name in two) + ", by a script's own end"
            )
        if len(units := measure.units(*arms)) > 1:
            return different(units)
        every = (each for arm in arms for each in arm.of_subjects(measure.quantity))
        return next((each.note for each in every if each.value is None and each.note), "no turn had it")

    @property
    def _names(self) -> list[str]:
        return [side.name for side in self.evidence.others]

    def _without_loss(self, verdict: Verdict) -> tuple[str, str, bool] | None:
        """A side with a final loss that nothing can be made of, why, and whether its training led nowhere.

        It may not just be missing among the others. The first side is looked at first.
        """
        losses = {arm.of: arm.get("final_loss") for arm in verdict.arms}
        for side in self.scenario.sides:
            loss, what = losses[side.name], f"the final loss of {side.name}"
            if loss.value is None:
                return side.name, f"{what} is not known: {loss.note}", False
            if not math.isfinite(loss.value):
                return side.name, f"{what} is not a finite number", True
            if loss.value <= 0 and self.question_.measure in LOSSES:
                return side.name, f"{what} is {loss.value:.3g}, and losses are compared by their ratio", False
        return None

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

    @property
    def nothing(self) -> str:
        """Why there is no pair to compare by."""
        if self.failed.told:
            return f"nothing was compared: {self.failed.told[-1]}"
        if self.question_.of_meaning and self.meanings:
            return "no pair was made: short runs tell what both compute"
        return "nothing was compared: the budget has no room for a pair" if self.over else "nothing was compared yet"

    def summary(self) -> Mapping[str, Any]:
        others = self.scenario.sides[1:]
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
            "seconds": round(self.seconds, 1),
            "pairs": [asdict(pair) for pair in self.evidence.pairs],
        }


def _cut(label: str) -> str:
    """As a line of a list has room for it."""
    return label if len(label) <= _LABEL else f"{label[: _LABEL - 1]}…"


def _number(key: str) -> int:
    return int(key.removeprefix("pair-")) - 1


def _key(number: int) -> str:
    """The name of a pair, and with it of its seed: none counts twice."""
    return f"pair-{number + 1:03d}"
