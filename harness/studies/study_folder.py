"""Studies on disk: ``results/studies/<id>/``.

question.json   what was asked            answers.jsonl  the run of each trial, as it came
trials/         the scenarios             summary.json   what it comes to
parts.json      of what is made of other studies, which these are
"""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from harness.base.errors import DamagedRunError, HarnessError, InputError, RunNotFoundError, StorageError
from harness.storage import named
from harness.storage.run_folder import RunFolder, storage_error

PARTS = "parts.json"


@dataclass(frozen=True)
class Answer:
    """The run that answers a trial, "" where there is none, and then why."""

    key: str
    run: str
    failure: str = ""


@dataclass(frozen=True)
class StudyFolder:
    """One study on disk. Writing raises StorageError, reading DamagedRunError."""

    path: Path

    @property
    def id(self) -> str:
        """The folder's name."""
        return self.path.name

    @property
    def results(self) -> Path:
        """Where runs lie, in the subfolder ``runs``."""
        return self.path.parent.parent

    @property
    def _files(self) -> RunFolder:
        return RunFolder(self.path)

    def question(self) -> tuple[str, Mapping[str, Any]]:
        """What was asked: the study's name, and its question."""
        stored = self._files.read_json("question.json")
        try:
            return str(stored["name"]), dict(stored["question"])
        except (LookupError, TypeError, ValueError) as error:
            raise DamagedRunError(f"{self.path / 'question.json'} holds no question of a study") from error

    def write_summary(self, summary: Mapping[str, Any]) -> None:
        """Store what it comes to so far."""
        self._files.write_json("summary.json", summary)

    def write_json(self, name: str, value: Any) -> None:
        """Keep something else of the study, in a file of its own."""
        self._files.write_json(name, value)

    def read_json(self, name: str) -> Any:
        """What was kept so."""
        return self._files.read_json(name)

    def has(self, name: str) -> bool:
        """Whether that file is there."""
        return self._files.has(name)

    def parts(self) -> list[str]:
        """The ids of the studies that it is made of; none where that cannot be read."""
        try:
            return list(dict(self.read_json(PARTS)).values()) if self.has(PARTS) else []
        except (DamagedRunError, TypeError, ValueError):
            return []

    def store_trial(self, key: str, text: str) -> Path:
        """Write a trial's scenario; returns the file."""
        self._files.write(f"trials/{key}.yaml", text)
        return self.path / "trials" / f"{key}.yaml"

    def append(self, answer: Answer) -> None:
        """Add an answer, whole or not at all as far as readers see."""
        try:
            with open(self.path / "answers.jsonl", "ab+") as file:
                file.seek(0)
                file.truncate(file.read().rfind(b"\n") + 1)  # a line without its end is what a kill left
                file.write(json.dumps(asdict(answer)).encode() + b"\n")
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise storage_error(error, self.path / "answers.jsonl") from error

    def answers(self) -> list[Answer]:
        """Every answer so far; a last line without its end is what a kill leaves, and is left out."""
        path = self.path / "answers.jsonl"
        if not path.exists():
            return []
        data = self._files.read_bytes(path.name)
        whole = data[: data.rfind(b"\n") + 1]
        return [_answer(line, f"{path}:{number}") for number, line in enumerate(whole.splitlines(), 1)]

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Keep others away until the block ends; InputError when somebody else runs this study."""
        try:
            handle = os.open(self.path, os.O_RDONLY)
        except OSError as error:
            raise storage_error(error, self.path) from error
        try:
            self._take(handle)
            yield
        finally:
            os.close(handle)

    def _take(self, handle: int) -> None:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise InputError(f"study {self.id} is being run by another process") from error


def create(results: Path, name: str, question: Mapping[str, Any]) -> StudyFolder:
    """A folder for a new study; its id sorts by time and says what kind it is."""
    now = datetime.now(timezone.utc).strftime("%Y%m%dT%H%M%S")
    studies = results / "studies"
    for suffix in ["", *(f"-{number}" for number in range(2, 100))]:
        path = studies / f"{now}-{name}{suffix}"
        try:
            path.mkdir(parents=True)
        except FileExistsError:
            continue
        except OSError as error:
            raise storage_error(error, studies) from error
        folder = StudyFolder(path.absolute())
        folder._files.write_json("question.json", {"name": name, "question": dict(question)})
        return folder
    raise StorageError(f"{studies} has a hundred studies called {now}-{name}")


DAMAGED = "damaged"
"""The kind of a study that cannot be read."""


@dataclass(frozen=True)
class Entry:
    """A study at a glance."""

    id: str
    kind: str
    answers: int
    in_words: str


def every(results: Path, name: str = "") -> list[StudyFolder]:
    """The studies there are, or those of a kind, oldest first."""
    studies = results / "studies"
    if results.exists() and not results.is_dir():
        raise InputError(f"{results} is no folder of results")
    paths = sorted(studies.glob(f"*-{name}*"))
    return [StudyFolder(path.absolute()) for path in paths if (path / "question.json").is_file()]


def entry(folder: StudyFolder) -> Entry:
    """What can be said of it at a glance; why it cannot be read, where that is so."""
    try:
        kind, _ = folder.question()
        done = folder._files.has("summary.json")
        words = folder._files.read_json("summary.json")["in_words"] if done else "was never ended in order"
        if not isinstance(words, str):
            raise TypeError(words)
        return Entry(folder.id, kind, len(folder.answers()), words)
    except DamagedRunError as error:
        return Entry(folder.id, DAMAGED, 0, str(error))
    except (LookupError, TypeError):
        return Entry(folder.id, DAMAGED, 0, f"{folder.path / 'summary.json'} holds no summary of a study")


def whole_of(results: Path, study: str) -> StudyFolder | None:
    """The study that another one, by its id, is a part of."""
    return next((folder for folder in every(results) if study in folder.parts()), None)


def has(results: Path, study: str) -> bool:
    """Whether a study of just this id is there."""
    return (results / "studies" / study / "question.json").is_file()


def that_made(run: RunFolder) -> str:
    """The id of the study that a run was made for; "" for none."""
    try:
        return str(run.read_json("status.json")["origin"].get("study", ""))
    except (HarnessError, LookupError, TypeError, AttributeError):
        return ""


def find(results: Path, name: str, wanted: str) -> StudyFolder:
    """The study of a kind that is meant (`harness/storage/named.py`); RunNotFoundError where it is none, or several."""
    path = named.as_path(wanted, "question.json")
    if path is not None:
        return StudyFolder(path)
    folders = [folder.path for folder in every(results, name)]
    matches = named.meant(wanted, folders)
    if len(matches) == 1:
        return StudyFolder(matches[0].absolute())
    known = ", ".join(path.name for path in matches or folders) or "none"
    raise RunNotFoundError(f"{wanted!r} is not one {name} study in {results / 'studies'}; there are {known}")


def _answer(line: bytes, where: str) -> Answer:
    try:
        answer = Answer(**json.loads(line))
        if not all(isinstance(value, str) for value in vars(answer).values()):
            raise TypeError("every field of an answer is a text")
        return answer
    except (ValueError, TypeError) as error:
        raise DamagedRunError(f"{where}: cannot be read: {error}") from error
