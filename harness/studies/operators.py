"""Every operator of two targets, from the same seeds: a pass over each in every way, and what differs between them.

What differs is asked again, by itself: what lies in memory that nobody wrote may repeat itself while the same calls
come before it, and does not then.
"""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

from harness.base.errors import TargetError, UnknownVersionError
from harness.execution import sweep_lines
from harness.execution.interruption import Interruption
from harness.execution.operator_process import Pass
from harness.execution.operator_times import OperatorTimes
from harness.execution.sweep import Sweep
from harness.judging.verdict import Verdict
from harness.scenario.schema import Target
from harness.storage.run_folder import storage_error
from harness.studies import call_times, now_and_then, software
from harness.studies.asked_alone import AskedAlone
from harness.studies.exchanged import FILES, SIDES
from harness.studies.operator_findings import OperatorFindings
from harness.studies.passes import AGAIN, DIFFERING, EXCHANGED, FORKED, MORE, PASSES, SMALLER, TIMES, before, words
from harness.studies.study import Trial
from harness.studies.study_folder import Answer, StudyFolder
from harness.studies.ways import WAYS, as_usual
from harness.targets import resolve

_OF_THREADS = re.compile(r"G?OMP_|KMP_|MKL_|OPENBLAS_|MXNET_.*THREADS")
"""Variables that a fork of MXNet does not heed."""


def _hanging_first(operators: Sequence[str], deadly: sweep_lines.Begun) -> list[str]:
    """Those that hung before come first, so that at the end no place waits for another's."""
    hung = {name for name, became in deadly.items() if "hung" in became.values()}
    return sorted(operators, key=lambda name: name not in hung)


class Operators(OperatorFindings):
    """Which passes, and what each of them adds."""

    name: ClassVar[str] = "operators"

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
        left = [name for name in self._asked_passes if name not in self._done]
        if left:
            return [Trial(name) for name in left]
        return [Trial(name) for name in (*self._single_calls(), *self._times_asked()) if name not in self._done][:1]

    def _single_calls(self) -> list[str]:
        """What is asked between passes and times."""
        asks_files = self._files and (not self._only or any(name.startswith(FILES) for name in self._only))
        found = self._seen(self._asked_passes)
        asks_more = self._more and found is not None and bool(found.fickle)
        each = {EXCHANGED: asks_files, MORE: asks_more, SMALLER: bool(self._failing)}
        return [key for key, asked in each.items() if asked]

    def _times_asked(self) -> Sequence[str]:
        """Those that are done, and the next one where there is still something to ask."""
        if not self._asks_times:
            return ()
        done = self._times_done
        return TIMES[: len(done) + 1] if not done or self._suspects() else done

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
                    self._ask_alone(trial.key, AskedAlone(work, passes["from"], passes["to"], self.say))
                    through = True
                elif trial.key in TIMES:
                    through = self._time(work, passes, trial.key)
                else:
                    through = self._sweep(work, passes, self._chosen(names, trial.key), trial.key)
                if not through:
                    raise KeyboardInterrupt
                yield Answer(trial.key, "")
        except OSError as error:
            raise storage_error(error, folder.path) from error

    def _sweep(self, work: Sweep, passes: Mapping[str, Pass], chosen: Sequence[str], key: str) -> bool:
        """A pass over these operators; whether it came to its end."""
        deadly = sweep_lines.deadly(*(passes[side].file for side in SIDES))
        by_way = any(f"-{way.name}" in key for way in self._ways)
        known, forked = deadly if by_way else sweep_lines.NOTHING, self._forks and key in FORKED
        return work.run(passes[key], _hanging_first(chosen, deadly), self._progress(key), known, forked)

    def _time(self, work: Sweep, passes: Mapping[str, Pass], key: str) -> bool:
        """Both targets by turns; whether it came to its end."""
        known = call_times.calls(*(self._cases(side) for side in SIDES))
        chosen = None if key == TIMES[0] else set(self._suspects())
        calls = [call for call in known if chosen is None or call.op in chosen]
        first = [] if key == TIMES[0] else self._times(TIMES[0])
        both = OperatorTimes(work, passes["from"], passes["to"], TIMES.index(key) % 2 == 1, first)
        return both.run(calls, self._file(key), self._progress(key))

    def _ask_alone(self, key: str, asked: AskedAlone) -> None:
        """What passes cannot tell; a line for each on disk."""
        file = self._file(key)
        if key == EXCHANGED:
            asked.exchange(self._written(), file)
        elif key == SMALLER:
            asked.shrink(self._failing, file)
        else:
            found = self._seen(self._asked_passes)
            usual, made = (as_usual(self._swept(side, self._asked_passes)) for side in SIDES)
            asked.now_and_then(found.fickle if found is not None else (), usual, made, file)

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
        every = self._called(names, side) if number is None else self._doubtful(before(number), number)
        return [name for name in every if all(way.matters_to(name) for way in WAYS if f"-{way.name}" in key)]

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
