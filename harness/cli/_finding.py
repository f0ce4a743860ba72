"""A run or a study, where a verb takes both."""

from __future__ import annotations

from pathlib import Path

from harness.base.errors import RunNotFoundError
from harness.storage import named, run_folder
from harness.storage.run_folder import RunFolder
from harness.studies import study_folder
from harness.studies.study_folder import StudyFolder


def found(results: Path, wanted: str) -> RunFolder | StudyFolder:
    """What is meant, a run before a study; RunNotFoundError where that is neither, or several."""
    if named.as_path(wanted, "question.json"):
        return study_folder.find(results, "", wanted)
    try:
        return run_folder.find(results, wanted)
    except RunNotFoundError as error:
        if run_folder.meant(results, wanted):
            raise
        try:
            return study_folder.find(results, "", wanted)
        except RunNotFoundError:
            raise error from None
