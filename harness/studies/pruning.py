"""Which runs and studies may go, and how they go.

A study goes with its runs, or not at all. Kept are what is pinned, what is being run or was written to just now, the
newest calibration of each job, on which later verdicts rest, the run that a shrink rests on, and what is no run.
"""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path

from harness.base.errors import HarnessError, InputError
from harness.storage import calibration, named, run_folder, run_index
from harness.storage.run_folder import RunFolder, storage_error
from harness.studies import study_folder
from harness.studies.study_folder import StudyFolder

PIN = "pinned"
QUIET_SECONDS = 600.0
_GOING = ".removed-"


@dataclass(frozen=True)
class Unit:
    """What goes together; ``started`` in seconds since 1970. ``kept`` says why it must stay, "" where it may go."""

    name: str
    paths: tuple[Path, ...]
    started: float
    bytes: int
    kept: str = ""


@dataclass(frozen=True)
class Limits:
    """What is more than this may go: seconds of age, units, bytes of those that are not kept."""

    older: float | None = None
    count: int | None = None
    bytes: int | None = None


def chosen(units: Sequence[Unit], limits: Limits, now: float) -> list[Unit]:
    """Those that go, oldest first. The newest stay, so many or so large; what is kept pushes none of them out."""
    going: list[Unit] = []
    total = 0
    for place, unit in enumerate(sorted(units, key=_age, reverse=True)):
        total += 0 if unit.kept else unit.bytes
        old = limits.older is not None and now - unit.started > limits.older
        many = limits.count is not None and place >= limits.count
        large = limits.bytes is not None and total > limits.bytes
        if not unit.kept and (old or many or large):
            going.append(unit)
    return going[::-1]


def units(results: Path) -> list[Unit]:
    """Every study with its runs, and every run that is of none, oldest first."""
    runs = {folder.id: folder for folder in run_folder.every(results)}
    found = [_study(study, results, runs) for study in study_folder.every(results)]
    of_studies = {path for unit in found for path in unit.paths}
    found += [_run(run, results) for run in runs.values() if run.path.absolute() not in of_studies]
    return sorted(found, key=_age)


def _age(unit: Unit) -> tuple[float, str]:
    return unit.started, unit.name


def remove(results: Path, unit: Unit) -> str:
    """Delete a unit, unless it has to stay by now: then why. StorageError where that cannot be.

    A study goes first, so that none is ever found with fewer runs than it had. Each folder gets another name, by which
    nobody finds it, before it is deleted.
    """
    first = unit.paths[0]
    is_study = first.parent.name == "studies"
    if not first.is_dir():
        return "it is gone already"
    runs = {folder.id: folder for folder in run_folder.every(results)} if is_study else {}
    now = _study(StudyFolder(first), results, runs) if is_study else _run(RunFolder(first), results)
    if now.kept:
        return now.kept
    first, *others = now.paths
    if is_study:
        try:
            with StudyFolder(first).lock():
                _delete(first)
        except InputError as error:
            return str(error)
    else:
        _delete(first)
    for path in others:
        _delete(path)
    return ""


def _delete(path: Path) -> None:
    try:
        shutil.rmtree(path.rename(path.with_name(_GOING + path.name)))
    except FileNotFoundError:
        return
    except OSError as error:
        raise storage_error(error, path) from error


def clear(results: Path) -> None:
    """Remove what an earlier removal, which was killed, left."""
    for folder in ("runs", "studies"):
        for path in (results / folder).glob(f"{_GOING}*"):
            shutil.rmtree(path, ignore_errors=True)


def pin(path: Path, pinned: bool) -> None:
    """Keep a run, with the study it is of, or a study from being pruned; or let it go again."""
    if pinned:
        RunFolder(path).write(PIN, "")
    else:
        (path / PIN).unlink(missing_ok=True)


def size(path: Path) -> int:
    """Bytes that a folder takes on disk."""
    total = 0
    for place, _, files in os.walk(path):
        for file in files:
            try:
                total += (Path(place) / file).lstat().st_blocks * 512
            except OSError:
                continue
    return total


def _study(study: StudyFolder, results: Path, runs: Mapping[str, RunFolder]) -> Unit:
    """A study with the runs that answer it, and those that were made for it and have not been noted yet."""
    try:
        noted = [answer.run for answer in study.answers()]
    except HarnessError:
        noted = []
    mine = [run for run in runs.values() if run.id in noted or study_folder.that_made(run) == study.id]
    paths = (study.path.absolute(), *(run.path.absolute() for run in mine))
    kept = next(filter(None, [_why_study(study, results), *map(_why_run, mine)]), "")
    return Unit(study.id, paths, _started(study.id), sum(map(size, paths)), kept)


def _run(run: RunFolder, results: Path) -> Unit:
    resting = next((study.id for study in study_folder.every(results) if _source(study) == run.id), "")
    kept = f"{resting} rests on it" if resting else _why_run(run)
    return Unit(run.id, (run.path.absolute(),), _started(run.id), size(run.path), kept)


def _source(study: StudyFolder) -> str:
    """The run that a study is about, if it is about one."""
    try:
        _, question = study.question()
        return Path(str(question.get("run", ""))).name
    except HarnessError:
        return ""


def _why_study(study: StudyFolder, results: Path) -> str:
    if study.id in calibration.newest(results):
        return "the newest calibration of its job"
    if (whole := study_folder.whole_of(results, study.id)) is not None:
        return f"{whole.id} rests on it"
    try:
        with study.lock():
            return "pinned" if (study.path / PIN).exists() else ""
    except InputError:
        return "it is being run"


def _why_run(run: RunFolder) -> str:
    if run.path.is_symlink() or not named.name_of(run.id):
        return "it is no run of ours"
    if run.has(PIN):
        return "pinned"
    if run_index.entry(run).status == "running":
        return "it is being run"
    return "" if run_index.entry(run).status == "finished" or _is_quiet(run) else "it was written to just now"


def _is_quiet(run: RunFolder) -> bool:
    """Whether nobody wrote to a run that has not finished for some minutes; its process may be on another machine."""
    written = max((path.stat().st_mtime for path in (run.path, *run.path.glob("*")) if path.exists()), default=0.0)
    return time.time() - written > QUIET_SECONDS


def _started(name: str) -> float:
    """The time in an id; of a folder with another name, the beginning of time."""
    try:
        return datetime.strptime(name[:15], "%Y%m%dT%H%M%S").replace(tzinfo=timezone.utc).timestamp()
    except ValueError:
        return 0.0
