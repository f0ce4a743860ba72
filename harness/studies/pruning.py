"""Which runs and studies may go, oldest first, and how they go.

A study goes with its runs, or not at all. Kept are what is pinned, what is being run, and the newest calibration of
each job, on which later verdicts rest.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path

from harness.base.errors import HarnessError, InputError
from harness.storage import calibration, run_folder, run_index
from harness.storage.run_folder import RunFolder, storage_error
from harness.studies import study_folder
from harness.studies.study_folder import StudyFolder

PIN = "pinned"
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
    """What is more than this may go: seconds of age, units, bytes in all."""

    older: float | None = None
    count: int | None = None
    bytes: int | None = None


def chosen(units: Sequence[Unit], limits: Limits, now: float) -> list[Unit]:
    """Those that go, oldest first. What is kept counts, too."""
    ordered = sorted(units, key=lambda unit: unit.started)
    going: list[Unit] = []
    left, total = len(ordered), sum(unit.bytes for unit in ordered)
    for unit in ordered:
        old = limits.older is not None and now - unit.started > limits.older
        many = limits.count is not None and left > limits.count
        large = limits.bytes is not None and total > limits.bytes
        if not unit.kept and (old or many or large):
            going.append(unit)
            left, total = left - 1, total - unit.bytes
    return going


def units(results: Path) -> list[Unit]:
    """Every study with its runs, and every run that is of none, oldest first."""
    runs = {folder.id: folder for folder in run_folder.every(results)}
    newest = frozenset(calibration.newest(results))
    found = [_study(study, runs, newest) for study in study_folder.every(results)]
    of_studies = {path for unit in found for path in unit.paths}
    found += [
        Unit(run.id, (run.path,), _started(run.id), size(run.path), _why_run(run))
        for run in runs.values()
        if run.path.absolute() not in of_studies
    ]
    return sorted(found, key=lambda unit: unit.started)


def remove(unit: Unit) -> None:
    """Delete a unit, its runs before the study that names them; StorageError where that cannot be.

    Each folder gets another name first, by which nobody finds it: one half removed is never taken for a run.
    """
    for path in reversed(unit.paths):
        try:
            shutil.rmtree(path.rename(path.with_name(_GOING + path.name)))
        except FileNotFoundError:
            continue
        except OSError as error:
            raise storage_error(error, path) from error


def clear(results: Path) -> None:
    """Remove what an earlier removal, which was killed, left."""
    for folder in ("runs", "studies"):
        for path in (results / folder).glob(f"{_GOING}*"):
            shutil.rmtree(path, ignore_errors=True)


def pin(folder: RunFolder, pinned: bool) -> None:
    """Keep a run, and the study it is of, from being pruned; or let it go again."""
    if pinned:
        folder.write(PIN, "")
    else:
        (folder.path / PIN).unlink(missing_ok=True)


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


def _study(study: StudyFolder, runs: dict[str, RunFolder], newest: frozenset[str]) -> Unit:
    try:
        mine = [runs[answer.run] for answer in study.answers() if answer.run in runs]
    except HarnessError:
        mine = []  # what cannot be read names no runs: these are units of their own
    paths = (study.path.absolute(), *dict.fromkeys(run.path.absolute() for run in mine))
    kept = next(filter(None, [_why_study(study, newest), *map(_why_run, mine)]), "")
    return Unit(study.id, paths, _started(study.id), sum(map(size, paths)), kept)


def _why_study(study: StudyFolder, newest: frozenset[str]) -> str:
    if study.id in newest:
        return "the newest calibration of its job"
    try:
        with study.lock():
            return "pinned" if (study.path / PIN).exists() else ""
    except InputError:
        return "it is being run"


def _why_run(run: RunFolder) -> str:
    if run.has(PIN):
        return "pinned"
    return "it is being run" if run_index.entry(run).status == "running" else ""


def _started(name: str) -> float:
    """The time in an id; of a folder with another name, the beginning of time."""
    try:
        return datetime.strptime(name[:15], "%Y%m%dT%H%M%S").replace(tzinfo=timezone.utc).timestamp()
    except ValueError:
        return 0.0
