"""Differences that are known and accepted, by name, with why: a file that is kept beside what it is about."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from harness.base.errors import Problem, ScenarioError
from harness.scenario import document
from harness.scenario.document import Document
from harness.studies.study_folder import StudyFolder

_FIELDS = ("name", "because")
_FILE = "accepted.json"


def read(path: Path) -> dict[str, str]:
    """Why each name is accepted; ScenarioError, with the place, for what is no list of ``name`` and ``because``."""
    known = document.read(path)
    problems = list(_problems(known))
    if problems:
        raise ScenarioError(problems)
    return {entry["name"]: entry["because"] for entry in known.values or ()}


def keep(known: Mapping[str, str], folder: StudyFolder) -> None:
    """With a study, in place of what was accepted there."""
    folder.write_json(_FILE, dict(known))


def of(folder: StudyFolder | None) -> dict[str, str]:
    """What is accepted in a study."""
    return dict(folder.read_json(_FILE)) if folder is not None and folder.has(_FILE) else {}


def _problems(known: Document) -> Iterator[Problem]:
    if known.values is not None and not isinstance(known.values, list):
        yield Problem(known.place(()), "expected a list of entries with name and because")
        return
    for number, entry in enumerate(known.values or ()):
        if not isinstance(entry, dict) or set(entry) != set(_FIELDS):
            yield Problem(known.place((number,)), "expected name and because, and nothing else")
            continue
        for field in _FIELDS:
            if not isinstance(entry[field], str) or not entry[field].strip():
                yield Problem(known.place((number, field)), f"{field} is {entry[field]!r}; expected a text")
