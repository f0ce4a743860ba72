"""The base of all questions that take many runs: which runs, what each adds, when it is enough, what it comes to.

A study decides; `perform` acts. What was asked and every answer are on disk as soon as they are there, so that a study
that was killed goes on where it was.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, TypeVar

from harness.base.errors import DamagedRunError, RunNotFoundError
from harness.execution.interruption import Interruption
from harness.execution.run import judged
from harness.judging.verdict import Verdict
from harness.storage import run_folder
from harness.studies import pool
from harness.studies.pool import Command
from harness.studies.study_folder import Answer, StudyFolder


@dataclass(frozen=True)
class Trial:
    """One run of a study: a scenario's text, or a run to replay. ``key`` names it, also as part of a file's name."""

    key: str
    text: str = ""
    replay: str = ""


@dataclass(frozen=True)
class Progress:
    """How far a study is: trials done and in all (None: nobody knows yet), seconds so far and left, and the news."""

    done: int
    total: int | None
    elapsed: float
    left: float | None
    news: str

    def __str__(self) -> str:
        of = "" if self.total is None else f"/{self.total}"
        left = "" if self.left is None else f", about {self.left:.0f} s left"
        return f"{self.done}{of} after {self.elapsed:.0f} s{left}: {self.news}"


class Study(ABC):
    """One question. All but ``run`` is pure: the same answers in the same order lead to the same trials."""

    name: ClassVar[str]
    folder: StudyFolder | None = None
    """Where its answers are, once it runs."""

    @property
    @abstractmethod
    def question(self) -> Mapping[str, Any]:
        """What was asked, as JSON, from which `asked` makes the study again."""

    @classmethod
    @abstractmethod
    def asked(cls, question: Mapping[str, Any], results: Path) -> Study:
        """The study of a question; runs lie below ``results``."""

    @abstractmethod
    def wanted(self) -> Sequence[Trial]:
        """The trials that are still to be run, as far as is known now; none when it is enough."""

    @abstractmethod
    def add(self, key: str, verdict: Verdict | None, failure: str) -> str:
        """Take the answer to a trial into account: its verdict, or why there is none. Returns it in a sentence."""

    @abstractmethod
    def summary(self) -> Mapping[str, Any]:
        """What it comes to so far, as JSON."""

    @property
    @abstractmethod
    def in_words(self) -> str:
        """The same in a sentence, for lists of studies."""

    def counts(self, verdict: Verdict) -> bool:
        """Whether an earlier run is an answer when the study goes on; else its trial is run again."""
        return True

    def passed_over(self, key: str, verdict: Verdict) -> None:  # noqa: B027 (most have nothing to note)
        """Take note of an earlier run that is no answer: it took time."""

    @property
    def over(self) -> bool:
        """Whether trials that still run need not end."""
        return False

    @property
    def total(self) -> int | None:
        """How many trials there will be in all; None where that depends on answers."""
        return None

    def run(
        self, trials: Sequence[Trial], folder: StudyFolder, interruption: Interruption, most: int | None
    ) -> Iterator[Answer]:
        """Run trials side by side, each in a process of its own, ``most`` at a time."""
        commands = [_command(trial, folder) for trial in trials]
        for finished in pool.run_all(commands, most, interruption):
            run = finished.verdict.run if finished.verdict else ""
            yield Answer(finished.key, run, finished.failure)


Kind = TypeVar("Kind", bound=Study)


def _command(trial: Trial, folder: StudyFolder) -> Command:
    verb, what = ("replay", trial.replay) if trial.replay else ("run", str(folder.store_trial(trial.key, trial.text)))
    return Command(trial.key, (verb, what, "--json", "--results", str(folder.results)))


def perform(
    study: Study,
    folder: StudyFolder,
    observe: Callable[[Progress], None],
    interruption: Interruption | None = None,
    most: int | None = None,
) -> None:
    """Run all that a study wants, from where it was; KeyboardInterrupt when it is interrupted.

    Answers and, in the end or at an interruption, the summary are in the folder. Earlier answers count, but for
    failures.
    """
    began, study.folder = time.monotonic(), folder
    known = done = recall(study, folder)
    try:
        while trials := study.wanted():
            for answer in study.run(trials, folder, interruption or Interruption(), most):
                folder.append(answer)
                done += 1
                news = study.add(answer.key, _verdict(folder, answer), answer.failure)
                observe(_progress(study, done, done - known, time.monotonic() - began, news))
                if study.over:
                    break
    finally:
        folder.write_summary({"in_words": study.in_words, **study.summary()})


def reopened(kind: type[Kind], folder: StudyFolder) -> Kind:
    """The study that a folder is of, as it was asked; DamagedRunError when that cannot be read."""
    name, question = folder.question()
    if name != kind.name:
        raise DamagedRunError(f"{folder.path / 'question.json'} is of a study {name!r}, not {kind.name!r}")
    try:
        study = kind.asked(question, folder.results)
    except (LookupError, TypeError, ValueError) as error:
        raise DamagedRunError(f"{folder.path / 'question.json'} holds no question of a {kind.name}: {error}") from error
    assert isinstance(study, kind)
    return study


def recall(study: Study, folder: StudyFolder, to_show: bool = False) -> int:
    """Add the answers that there are; how many.

    What failed, or whose run was deleted or damaged since, is tried again: so its failure counts ``to_show`` it only.
    """
    known, runs = set[str](), set[str]()
    answers = list(folder.answers())
    for answer in answers:
        try:
            verdict = _verdict(folder, answer)
            if answer.failure or answer.key in known or answer.run in runs:
                continue
            if verdict is not None and not study.counts(verdict):
                study.passed_over(answer.key, verdict)
                continue
            study.add(answer.key, verdict, "")
            known.add(answer.key)
            runs |= {answer.run} - {""}
        except (RunNotFoundError, DamagedRunError):
            continue
        except LookupError as error:
            raise DamagedRunError(f"{folder.path / 'answers.jsonl'}: no trial is called {answer.key!r}") from error
    failed = {answer.key: answer.failure for answer in answers if answer.failure and answer.key not in known}
    for key, failure in failed.items() if to_show else ():
        with suppress(LookupError):  # of a trial that it would not ask for any more
            study.add(key, None, failure)
    return len(known)


def _progress(study: Study, done: int, new: int, elapsed: float, news: str) -> Progress:
    left = None if study.total is None else elapsed / new * (study.total - done)
    return Progress(done, study.total, elapsed, left, news)


def _verdict(folder: StudyFolder, answer: Answer) -> Verdict | None:
    return judged(run_folder.find(folder.results, answer.run)) if answer.run else None
