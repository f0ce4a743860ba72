"""Every operator of two targets, from the same seeds: a pass over each in every way, and what differs between them.

What differs is asked again, by itself: what lies in memory that nobody wrote may repeat itself while the same calls
come before it, and does not then.
"""

from __future__ import annotations

import difflib
import json
import os
import re
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, replace
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Any, ClassVar

from harness.base.errors import InputError, TargetError, UnknownVersionError
from harness.execution import sweep_lines
from harness.execution.interruption import Interruption
from harness.execution.operator_times import OperatorTimes, Times, read_times
from harness.execution.single_calls import SingleCalls
from harness.execution.sweep import Pass, Sweep
from harness.judging.verdict import Verdict
from harness.scenario.schema import Target
from harness.storage.run_folder import storage_error
from harness.studies import call_times, exchanged, now_and_then, software
from harness.studies.beside_numpy import with_numpy
from harness.studies.exchanged import FILES, SIDES, with_files
from harness.studies.parity import (
    CRASHES,
    FASTER,
    FICKLE,
    HANGS,
    REFUSES,
    SLOWER,
    Case,
    Difference,
    Parity,
    Swept,
    cases,
    filled,
    parity,
    worst_first,
)
from harness.studies.smallest import can_be_smaller, smallest
from harness.studies.study import Study, Trial
from harness.studies.study_folder import Answer, StudyFolder
from harness.studies.ways import WAYS, Way, as_usual, with_ways
from harness.targets import resolve

PASSES = tuple(f"{side}{way}" for way in ("", *(f"-{way.name}" for way in WAYS)) for side in SIDES)
"""Each target as it usually computes, then in other ways; in alternation, as all else."""

AGAIN = tuple(tuple(f"{name}-{word}" for name in PASSES) for word in ("again", "once-more", "fourth", "fifth"))
"""Of operators that differ between targets, or between ways; of those that did so both times; and so on.

What is so in one pass of two is so in three of three, and never with the other target, in one case of 64.
"""

FORKED = (*PASSES, *AGAIN[1], *AGAIN[2])
"""Passes whose processes are forks, which is quicker; what differs only in these does not stand in the others."""

DIFFERING = 2
"""From which of these on only what differs between targets is asked, and not what is alike in both."""

SMALLER = "smaller"
"""What fails in the new target only, with calls that are made smaller while it does."""

MORE = "now-and-then"
"""What only the new target does now and then, some more times of both."""

EXCHANGED = "files"
"""What each target makes of files that the other one wrote."""

TIMES = ("times", *(f"times-{number}" for number in range(2, call_times.PAIRS + 1)))
"""What calls take, both targets by turns: of all operators, then, in fresh processes, of those that still differ."""


_OF_THREADS = re.compile(r"G?OMP_|KMP_|MKL_|OPENBLAS_|MXNET_.*THREADS")
"""Variables that a fork of MXNet does not heed."""

_WORDS = {
    "from": "the old one",
    "to": "the new one",
    SMALLER: "what fails, with less",
    MORE: "what the new one does now and then",
    EXCHANGED: "files that the other one reads",
}


def words(key: str, ways: Sequence[Way] = WAYS) -> str:
    """A pass, or what else is asked of both, as its progress names it: ``to-naive-again``, ``times-2``.

    ``ways``: those that are other ways; what remains is the usual one.
    """
    if key in TIMES:
        return f"what calls take, pair {TIMES.index(key) + 1} of {len(TIMES)} at most"
    number = next((number for number, passes in enumerate(AGAIN, 2) if key in passes), None)
    called = _WORDS.get(key) or _WORDS[key.partition("-")[0]]
    way = next((f" {way.words if way in ways else 'once more'}" for way in WAYS if f"-{way.name}" in key), "")
    return f"{called}{way}{'' if number is None else f', what differs, pass {number} of {len(AGAIN) + 1} at most'}"


def _hanging_first(operators: Sequence[str], deadly: sweep_lines.Begun) -> list[str]:
    """Those that hung before come first, so that at the end no place waits for another's."""
    hung = {name for name, became in deadly.items() if "hung" in became.values()}
    return sorted(operators, key=lambda name: name not in hung)


def _silent(line: str) -> None:
    """Say nothing."""


class Operators(Study):
    """Of ``old`` and ``new``; ``only`` some operators, all where it is empty; ``times``: also what they take.

    ``files``: also what each makes of the other one's; ``more``: what only the new one does now and then is asked some
    more; ``rounds``: how often what differs is asked again, and ``better``: what is better as often, which may be luck
    as well; ``forked``: first passes fork, where that changes nothing. Studies of older versions did not, or less
    often. ``say`` hears how far it is.
    """

    name: ClassVar[str] = "operators"

    def __init__(
        self,
        old: Target,
        new: Target,
        only: Sequence[str] = (),
        times: bool = False,
        files: bool = True,
        more: bool = True,
        rounds: int = len(AGAIN),
        better: bool = True,
        forked: bool = True,
    ) -> None:
        self.targets = {"from": resolve.settle(old, None, None), "to": resolve.settle(new, None, None)}
        self._only, self._asks_times, self._files, self._more = list(only), times, files, more
        self._rounds, self._better, self._forked = AGAIN[:rounds], better, forked
        self._done: set[str] = set()
        self._known: dict[int, Parity | None] = {}
        self.say: Callable[[str], None] = _silent

    @property
    def question(self) -> Mapping[str, Any]:
        targets = {name: target.model_dump(mode="json", exclude_none=True) for name, target in self.targets.items()}
        asked = {"times": self._asks_times, "files": self._files, "more": self._more, "better": self._better}
        asked |= {"forked": self._forked}
        return {**targets, "only": self._only, **asked, "rounds": len(self._rounds)}

    @classmethod
    def asked(cls, question: Mapping[str, Any], results: Path) -> Operators:
        asked = {name: question.get(name, False) for name in ("times", "files", "more", "better", "forked")}
        rounds = question.get("rounds", DIFFERING)
        return cls(Target(**question["from"]), Target(**question["to"]), question["only"], **asked, rounds=rounds)

    @property
    def total(self) -> int:
        single = [*self._single_calls(), *self._times_asked()]
        return len(PASSES) + len(self._asked_again()) + len(single)

    def wanted(self) -> Sequence[Trial]:
        left = [name for name in (*PASSES, *self._asked_again()) if name not in self._done]
        if left:
            return [Trial(name) for name in left]
        return [Trial(name) for name in (*self._single_calls(), *self._times_asked()) if name not in self._done][:1]

    def _single_calls(self) -> list[str]:
        """What is asked between passes and times."""
        asks_files = self._files and (not self._only or any(name.startswith(FILES) for name in self._only))
        found = self._seen((*PASSES, *self._asked_again()))
        asks_more = self._more and found is not None and bool(found.fickle)
        each = {EXCHANGED: asks_files, MORE: asks_more, SMALLER: bool(self._failing)}
        return [key for key, asked in each.items() if asked]

    def _times_asked(self) -> Sequence[str]:
        """Those that are done, and the next one where there is still something to ask."""
        if not self._asks_times:
            return ()
        done = self._times_done
        return TIMES[: len(done) + 1] if not done or self._suspects() else done

    @property
    def _times_done(self) -> list[str]:
        return [name for name in TIMES if name in self._done]

    def _suspects(self) -> list[str]:
        """Operators that take longer, or less time, as far as is known."""
        return call_times.suspects([self._times(name) for name in self._times_done])

    def _times(self, name: str) -> list[Times]:
        if self.folder is None:
            return []
        return list(read_times(self.folder.path / f"{name}.jsonl"))

    def _cases(self, name: str) -> dict[str, Case]:
        assert self.folder is not None
        return cases(sweep_lines.read(self.folder.path / f"{name}.jsonl"))

    def _asked_again(self) -> list[str]:
        """Passes over what differs as far as is known, which has to do so each time."""
        asked = list[str]()
        for number, passes in enumerate(self._rounds):
            if not self._doubtful((*PASSES, *asked), number):
                break
            asked += passes
        return asked

    def _doubtful(self, passes: Sequence[str], number: int) -> list[str]:
        """Operators for a round by what these passes say; none while one of them is missing.

        Those that differ, now and then too, or that have cases only one was asked.
        """
        found = self._seen(passes)
        if found is None:
            return []
        better = {each.op for each in found.better} if self._better or number < DIFFERING else set()
        doubtful = {*(each.op for each in (*found.differences, *found.fickle)), *better, *found.unmatched}
        alike = {each.partition(" ")[0] for each in found.otherwise} if number < DIFFERING else set()
        return sorted(doubtful | alike)

    def _seen(self, passes: Sequence[str]) -> Parity | None:
        """What differs by these; None while one of them is missing."""
        if not set(passes) <= self._done:
            return None
        if len(passes) not in self._known:
            self._known[len(passes)] = self._of(passes)
        return self._known[len(passes)]

    @property
    def _failing(self) -> list[Difference]:
        """Differences that are worth a smaller call; none while a pass is missing."""
        found = self._seen((*PASSES, *self._asked_again()))
        return [] if found is None else [each for each in found.differences if can_be_smaller(each)]

    def add(self, key: str, verdict: Verdict | None, failure: str) -> str:
        again = [name for passes in AGAIN for name in passes]
        if key not in (*PASSES, *again, EXCHANGED, MORE, SMALLER, *TIMES):
            raise LookupError(key)
        if not failure:
            self._done.add(key)
        if key == EXCHANGED:
            return f"{words(key)}: {failure or 'what each writes was read by the other one'}"
        if key == MORE:
            return f"{words(key)}: {failure or f'each was called {now_and_then.TIMES} times more'}"
        done = "timed" if key in TIMES else "called with less" if key == SMALLER else "called"
        return f"{words(key, self._ways)}: {failure or done}"

    def run(
        self, trials: Sequence[Trial], folder: StudyFolder, interruption: Interruption, most: int | None
    ) -> Iterator[Answer]:
        """One pass after the other, each by several processes; KeyboardInterrupt when it is interrupted."""
        software.require_unchanged(self.targets.values(), folder)
        jobs = most or os.cpu_count() or 1  # one more took a tenth longer
        work = Sweep(folder.path, jobs, lambda: interruption.signal is not None)
        try:
            passes = {name: self._pass(name, folder) for each in (PASSES, *AGAIN) for name in each}
            names = {side: self._names(work, passes[side]) for side in SIDES}
            for trial in trials:
                if trial.key in (EXCHANGED, MORE, SMALLER):
                    asks = {EXCHANGED: self._exchange, MORE: self._ask_more, SMALLER: self._shrink}[trial.key]
                    asks(work, (passes["from"], passes["to"]), folder)
                    through = True
                elif trial.key in TIMES:
                    through = self._time(work, passes, trial.key, folder)
                else:
                    chosen, usual = self._chosen(names, trial.key), [passes[side].file for side in SIDES]
                    by_way = any(f"-{way.name}" in trial.key for way in self._ways)
                    deadly = sweep_lines.deadly(*usual) if by_way else sweep_lines.NOTHING
                    forked = self._forks and trial.key in FORKED
                    first = _hanging_first(chosen, sweep_lines.deadly(*usual))
                    through = work.run(passes[trial.key], first, self._progress(trial.key), deadly, forked)
                if not through:
                    raise KeyboardInterrupt
                yield Answer(trial.key, "")
        except OSError as error:
            raise storage_error(error, folder.path) from error

    def _time(self, work: Sweep, passes: Mapping[str, Pass], key: str, folder: StudyFolder) -> bool:
        """Both targets by turns; whether it came to its end."""
        known = call_times.calls(*(self._cases(side) for side in SIDES))
        chosen = None if key == TIMES[0] else set(self._suspects())
        calls = [call for call in known if chosen is None or call.op in chosen]
        first = [] if key == TIMES[0] else self._times(TIMES[0])
        both = OperatorTimes(work, passes["from"], passes["to"], TIMES.index(key) % 2 == 1, first)
        return both.run(calls, folder.path / f"{key}.jsonl", self._progress(key))

    def _exchange(self, work: Sweep, both: tuple[Pass, Pass], folder: StudyFolder) -> None:
        """A line for each kind of file and who wrote it; KeyboardInterrupt where it is interrupted."""
        lines = list[dict[str, Any]]()
        with tempfile.TemporaryDirectory() as scratch:
            calls = SingleCalls(work, both, scratch)
            try:
                for name, side in self._written():
                    self.say(f"{words(EXCHANGED)}: {name} of the {('old', 'new')[side]} one")
                    lines.append(self._read_by_both(calls, name, side))
            finally:
                calls.close()
        (folder.path / f"{EXCHANGED}.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in lines))

    def _written(self) -> list[tuple[str, int]]:
        """Kinds of files and whose: those that a target reads itself. What the old one never had has no way back."""
        works = [
            {
                case["op"]
                for case in self._cases(side).values()
                if case["op"].startswith(FILES) and case["status"] == "ok"
            }
            for side in SIDES
        ]
        return [(name, side) for name in sorted(works[0]) for side in range(2) if name in works[side]]

    def _read_by_both(self, calls: SingleCalls, name: str, side: int) -> dict[str, Any]:
        """What fails to be written is tried once more, and what differs is read once more."""
        files = calls.files(side, name) or calls.files(side, name)
        if files is None:
            return exchanged.line(name, side)
        first, again = exchanged.line(name, side, calls.read(name, files)), None
        if (was := exchanged.told(first)) is not None:
            again = exchanged.line(name, side, calls.read(name, files))
        return first if again is None else {**again, "repeats": exchanged.told(again) == was}

    def _ask_more(self, work: Sweep, both: tuple[Pass, Pass], folder: StudyFolder) -> None:
        """A line for each, as it is known; KeyboardInterrupt where it is interrupted."""
        file = folder.path / f"{MORE}.jsonl"
        done = {line["op"] for line in sweep_lines.read(file)}
        found = self._seen((*PASSES, *self._asked_again()))
        usual, made = (as_usual(self._swept(side, (*PASSES, *self._asked_again()))) for side in SIDES)

        def line(calls: SingleCalls, each: Difference) -> dict[str, Any]:
            self.say(f"{words(MORE)}: {each.op}, which {each.kind}")
            told = [_alone(calls, each.case) for _ in range(now_and_then.TIMES)]
            name = each.case["case"]
            return now_and_then.line(each, usual.cases[name], len(made.every(name)), *zip(*told, strict=True))

        first = found.fickle[: now_and_then.MOST] if found is not None else ()
        _each_by_itself(work, both, file, [each for each in first if each.op not in done], line)

    def _shrink(self, work: Sweep, both: tuple[Pass, Pass], folder: StudyFolder) -> None:
        """A line for each that fails, as it is known; KeyboardInterrupt where it is interrupted."""
        file = folder.path / f"{SMALLER}.jsonl"
        done = {(line["op"], line["kind"]) for line in sweep_lines.read(file)}

        def line(calls: SingleCalls, each: Difference) -> dict[str, Any]:
            self.say(f"{words(SMALLER)}: {each.op}, which {each.kind}")
            return asdict(smallest(each, calls.ask))

        _each_by_itself(work, both, file, [each for each in self._failing if (each.op, each.kind) not in done], line)

    def _with_files(self, found: Parity) -> Parity:
        assert self.folder is not None
        return with_files(found, sweep_lines.read(self.folder.path / f"{EXCHANGED}.jsonl"))

    def _with_more(self, found: Parity) -> Parity:
        assert self.folder is not None
        return now_and_then.with_more(found, sweep_lines.read(self.folder.path / f"{MORE}.jsonl"))

    def _with_smallest(self, found: Parity) -> Parity:
        """With what fails as small as it was found; what passes said of it stays."""
        assert self.folder is not None
        lines = sweep_lines.read(self.folder.path / f"{SMALLER}.jsonl")
        known = {(line["op"], line["kind"]): line["case"] for line in lines}
        smaller = (replace(each, case=known.get((each.op, each.kind), each.case)) for each in found.differences)
        return replace(found, differences=tuple(smaller))

    @property
    def _ways(self) -> list[Way]:
        """Those that neither target has by itself; the passes of others are the usual way once more."""
        asked = {name for target in self.targets.values() for name in target.env}
        return [way for way in WAYS if not asked & {*way.env}]

    @property
    def _forks(self) -> bool:
        """Whether a fork computes as a process that began by itself: it has one thread, and no CUDA."""
        named = [name for target in self.targets.values() for name in target.env]
        has_cuda = any(target.cuda for target in self.targets.values())
        return self._forked and not has_cuda and not any(map(_OF_THREADS.match, named))

    def _pass(self, name: str, folder: StudyFolder) -> Pass:
        target, ways = self.targets[name.partition("-")[0]], [way for way in self._ways if f"-{way.name}" in name]
        env = {**target.env, **{key: value for way in ways for key, value in way.env.items()}}
        return Pass(name, resolve.interpreter(target, self.say), env, folder.path / f"{name}.jsonl")

    def _names(self, work: Sweep, of: Pass) -> dict[str, list[str]]:
        file = of.file.with_suffix(".names.json")
        return sweep_lines.names_kept(file) or sweep_lines.keep_names(file, work.names(of))

    def _chosen(self, names: Mapping[str, Mapping[str, list[str]]], key: str) -> list[str]:
        """What a pass calls: all that it may matter to, or what differs again."""
        number = next((number for number, passes in enumerate(AGAIN) if key in passes), None)
        side = key.partition("-")[0]
        every = self._called(names, side) if number is None else self._doubtful(_before(number), number)
        return [name for name in every if all(way.matters_to(name) for way in WAYS if f"-{way.name}" in key)]

    def _called(self, names: Mapping[str, Mapping[str, list[str]]], side: str) -> list[str]:
        """Those that both targets have, by the name that the first one calls them: others are beside nothing."""
        known = {one: {*own, *(alias for each in own.values() for alias in each)} for one, own in names.items()}
        if not self._only:
            return [name for name in names["from"] if name in known["to"]]
        every = known["from"] | known["to"]
        for name in self._only:
            if name not in every:
                near = [each for each in sorted(every) if each.lower().endswith(name.lower())]
                near = near or difflib.get_close_matches(name, every, 3)
                meant = f"; do you mean {' or '.join(near[:3])}?" if near else ""
                both = " or ".join(dict.fromkeys(map(str, self.targets.values())))
                raise InputError(f"{name!r} is no operator of {both}{meant}")
        return [name for name in self._only if name in known[side]]

    def require_known(self) -> None:
        """InputError for a name in ``only`` that neither target has; UnknownVersionError for a target that none is.

        What cannot be had, or does not start, is told by who asks it.
        """
        with tempfile.TemporaryDirectory() as scratch:
            work = Sweep(Path(scratch), 1)
            try:
                passes = [self._pass(side, StudyFolder(Path(scratch))) for side in SIDES]
                names = {each.name: work.names(each) for each in passes if self._only}
            except UnknownVersionError:
                raise
            except TargetError:
                return
        if names:
            self._called(names, SIDES[0])

    def _progress(self, name: str) -> Callable[[int, int], None]:
        told = [-1]

        def progress(done: int, of: int) -> None:
            if done * 10 // max(of, 1) != told[0]:
                told[0] = done * 10 // max(of, 1)
                self.say(f"{words(name, self._ways)}: {done} of {of} operators")

        return progress

    @cached_property
    def _whole(self) -> Parity | None:
        found = self._seen((*PASSES, *self._asked_again()))
        return (
            found if found is None else self._with_times(self._with_files(self._with_more(self._with_smallest(found))))
        )

    @property
    def parity(self) -> Parity | None:
        """What differs; None while not every pass is through."""
        return None if self.folder is None or self.wanted() else self._whole

    def _of(self, passes: Sequence[str]) -> Parity | None:
        if self.folder is None:
            return None
        old, new = (self._swept(side, passes) for side in SIDES)
        names = [sweep_lines.names_kept(self.folder.path / f"{side}.names.json") for side in SIDES]
        for side in SIDES if all(names) else ():
            sweep_lines.require_whole(
                self._called(dict(zip(SIDES, names, strict=True)), side), self._usual_files(side, ())[0]
            )
        usual = as_usual(old), as_usual(new)
        found = with_numpy(with_ways(parity(*usual, (names[0], names[1])), old, new), *usual)
        given_up = (sweep_lines.given_up(*self._usual_files(side, passes)) for side in SIDES)
        found = replace(found, unmatched=tuple(sorted({*found.unmatched, *chain.from_iterable(given_up)})))
        if not self._more:  # as it was told then
            found = replace(found, fickle=tuple(each for each in found.fickle if each.kind == FICKLE))
        if not self._only:
            return found
        gone, came = ([name for name in each if name in self._only] for each in (found.gone, found.new))
        return replace(found, gone=tuple(gone), new=tuple(came))

    def _usual_files(self, side: str, passes: Sequence[str]) -> list[Path]:
        assert self.folder is not None
        again = [each[PASSES.index(side)] for each in AGAIN if {*each} <= {*passes}]
        return [self.folder.path / f"{name}.jsonl" for name in (side, *again)]

    def _swept(self, side: str, passes: Sequence[str]) -> dict[str, Swept]:
        """What a target made of its cases, by the name of the way; the usual one is ""."""
        keys = {"": side, **{way.name: f"{side}-{way.name}" for way in self._ways}}
        rounds = [dict(zip(PASSES, each, strict=True)) for each in AGAIN if {*each} <= {*passes}]
        found = {way: Swept(self._cases(key), [self._cases(each[key]) for each in rounds]) for way, key in keys.items()}
        as_before = [self._cases(f"{side}-{way.name}") for way in WAYS if way not in self._ways]
        return {**found, "": filled(found[""].cases, [*as_before, *found[""].again])}

    def _with_times(self, found: Parity) -> Parity:
        """What takes longer comes after all that means something else."""
        pairs, old = [self._times(name) for name in self._times_done], self._cases(PASSES[0])
        told = call_times.differences(pairs, old)
        slower, faster = ([each for each in told if each.kind == kind] for kind in (SLOWER, FASTER))
        ended = [each for each in told if each.kind in (CRASHES, HANGS, REFUSES)]
        against = (*worst_first([*found.differences, *ended]), *slower)
        fickle = (*found.fickle, *call_times.fickle(pairs, old))
        chance = tuple(dict.fromkeys([*found.by_chance, *call_times.by_chance(pairs)]))
        return replace(found, differences=against, better=(*found.better, *faster), fickle=fickle, by_chance=chance)

    @property
    def in_words(self) -> str:
        sides = " to ".join(str(target) for target in self.targets.values())
        if self.parity is None:
            return f"{sides}: {len(self._done)} of {self.total} passes"
        times = f", and in what calls of {self.timed} operators take" if self._asks_times else ""
        return f"{sides}: {len(self.parity.differences)} differences in {self.parity.compared} cases{times}"

    @property
    def timed(self) -> int:
        """How many operators were."""
        return len({each.op for each in self._times(TIMES[0]) if each.ratios})

    def summary(self) -> Mapping[str, Any]:
        found = self.parity
        if found is None:
            return {"passes": sorted(self._done)}
        return {
            "differences": [*map(_row, found.differences)],
            "better": [*map(_row, found.better)],
            "compared": found.compared,
            "operators": found.operators,
            "unstable": found.unstable,
            "untaken": found.untaken,
            "unmatched": found.unmatched,
            "fickle": [*map(_row, found.fickle)],
            "by_chance": found.by_chance,
            "otherwise": found.otherwise,
            "unlike_numpy": found.unlike_numpy,
            "gone": found.gone,
            "new": found.new,
            "timed": self.timed,
        }


def _before(number: int) -> Sequence[str]:
    """All passes before a round over what differs."""
    return [*PASSES, *(name for passes in AGAIN[:number] for name in passes)]


def _each_by_itself(
    work: Sweep,
    both: tuple[Pass, Pass],
    file: Path,
    found: Sequence[Difference],
    line: Callable[[SingleCalls, Difference], Mapping[str, Any]],
) -> None:
    """A line for each into the file, as soon as it and those before it are known; so many side by side as in a pass."""

    def made(each: Difference) -> Mapping[str, Any]:
        with tempfile.TemporaryDirectory() as scratch:
            calls = SingleCalls(work, both, scratch)
            try:
                return line(calls, each)
            finally:
                calls.close()

    with open(file, "ab") as lines, ThreadPoolExecutor(work.jobs) as places:
        lines.write(b"\n")  # what a kill cut off ends here
        for each in places.map(made, found):
            lines.write(json.dumps(each).encode() + b"\n")
            lines.flush()


def _alone(calls: SingleCalls, case: Case) -> tuple[Case, Case]:
    """What processes that were asked nothing before make of a case."""
    try:
        return calls.ask(case)
    finally:
        calls.close()


def _row(each: Difference) -> dict[str, Any]:
    """``shapes``: of the call that its program makes, which may be smaller than its case."""
    own = {"op": each.op, "kind": each.kind, "how": each.how, "cases": each.cases}
    return {**own, "case": each.case["case"], "shapes": each.case.get("shapes", [])}
