"""Differences that are known and accepted, by name, with why: a file that is kept beside what it is about."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from harness.base.errors import Problem, ScenarioError
from harness.base.units import parse_percentage
from harness.scenario import document
from harness.scenario.document import Document
from harness.studies.study_folder import StudyFolder

_TEXTS = ("name", "because")
_LIMIT = "up_to"
_FILE = "accepted.json"
_EMPTY = "write a list of entries with name and because, [] for none"


@dataclass(frozen=True)
class Acceptance:
    """Why a difference does not count, and how much worse, as a fraction, is still meant; None: however much."""

    because: str
    up_to: float | None = None

    def covers(self, size: float | None) -> bool:
        """Whether it holds for what is so much worse; what has no size is beyond every limit."""
        return self.up_to is None or (size is not None and size <= self.up_to)


def read(path: Path) -> dict[str, Acceptance]:
    """What is accepted, by its name; ScenarioError, with the place, for what is no list of ``name`` and ``because``."""
    known = document.read(path, _EMPTY)
    problems = list(_problems(known))
    if problems:
        raise ScenarioError(problems)
    return {entry["name"]: _acceptance(entry) for entry in known.values or ()}


def keep(known: Mapping[str, Acceptance], folder: StudyFolder) -> None:
    """With a study, in place of what was accepted there."""
    folder.write_json(_FILE, {name: asdict(each) for name, each in known.items()})


def of(folder: StudyFolder | None) -> dict[str, Acceptance]:
    """What is accepted in a study; older ones have no limits."""
    found = folder.read_json(_FILE) if folder is not None and folder.has(_FILE) else {}
    return {name: Acceptance(each) if isinstance(each, str) else Acceptance(**each) for name, each in found.items()}


def _acceptance(entry: Mapping[str, str]) -> Acceptance:
    return Acceptance(entry["because"], parse_percentage(entry[_LIMIT]) if _LIMIT in entry else None)


def _problems(known: Document) -> Iterator[Problem]:
    if not isinstance(known.values, list):
        yield Problem(known.place(()), "expected a list of entries with name and because")
        return
    for number, entry in enumerate(known.values):
        if not isinstance(entry, dict) or set(entry) - {_LIMIT} != set(_TEXTS):
            yield Problem(known.place((number,)), f"expected name and because, {_LIMIT} if you like, and nothing else")
            continue
        if entry["name"] in [each.get("name") for each in known.values[:number] if isinstance(each, dict)]:
            yield Problem(known.place((number, "name")), f"{entry['name']!r} is accepted before; write it once")
        for field in _TEXTS:
            if not isinstance(entry[field], str) or not entry[field].strip():
                yield Problem(known.place((number, field)), f"{field} is {entry[field]!r}; expected a text")
        try:
            parse_percentage(entry.get(_LIMIT, "1%"))
        except ValueError as error:
            yield Problem(known.place((number, _LIMIT)), f"{_LIMIT} {entry[_LIMIT]!r} {error}")
