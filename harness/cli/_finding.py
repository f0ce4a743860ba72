"""A run or a study, where a verb takes both."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from harness.base.errors import InputError, RunNotFoundError
from harness.cli import _defaults
from harness.storage import named, run_folder
from harness.storage.run_folder import RunFolder
from harness.studies import study_folder
from harness.studies.study_folder import StudyFolder


def found(results: Path, wanted: str) -> RunFolder | StudyFolder:
    """What is meant; RunNotFoundError where that is neither a run nor a study, or several."""
    if named.as_path(wanted, "question.json"):
        return study_folder.find(results, "", wanted)
    try:
        folder = run_folder.find(results, wanted)
        _require_no_study(results, wanted, folder)
        return folder
    except RunNotFoundError as error:
        if run_folder.meant(results, wanted):
            raise
        try:
            return study_folder.find(results, "", wanted)
        except RunNotFoundError:
            raise error from None


def run(results: Path, wanted: str) -> RunFolder:
    """The run that is meant; InputError where it is a study, with what shows that, or RunNotFoundError."""
    try:
        return run_folder.find(results, wanted)
    except RunNotFoundError:
        for study in _studies(results, wanted) if not run_folder.meant(results, wanted) else ():
            (name, _), where = study.question(), _defaults.option(results)
            shows = f"harness {name} --resume {study.id}{where} shows it again"
            page = f"harness report {study.id}{where} makes its page"
            raise InputError(f"{wanted!r} is a study: {shows}, and {page}") from None
        raise


def _require_no_study(results: Path, wanted: str, run: RunFolder) -> None:
    """InputError where a part of a run's id is one of a study's, too: a page of the wrong one would mislead."""
    if wanted[:1].isdigit() and wanted in run.id and wanted != run.id:
        for study in _studies(results, wanted):
            raise InputError(f"{wanted!r} may be the run {run.id} or the study {study.id}; give more of it")


def _studies(results: Path, wanted: str) -> list[StudyFolder]:
    with suppress(RunNotFoundError):
        return [study_folder.find(results, "", wanted)]
    return []
