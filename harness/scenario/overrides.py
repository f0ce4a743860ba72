"""Change fields of a scenario by dotted path: ``--set workload.batch_size=64`` and ``variants:``."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from harness.base.errors import Problem, ScenarioError
from harness.scenario import anchored
from harness.scenario.document import Document, parse

Override = tuple[str, Any]


def from_option(text: str, option: str = "set") -> Override:
    """``PATH=VALUE`` with the value read as YAML; ScenarioError when it is not that."""
    path, equals, value = text.partition("=")
    if not equals or not path:
        message = "write a path, an equals sign and a value, as in workload.steps=50"
        raise ScenarioError([Problem(_option(text, option), message)])
    given = parse(value, _option(text, option)).values if value.strip() else None
    if path in anchored.FIELDS and isinstance(given, str):
        return path, anchored.absolute(path, given, Path.cwd())
    return path, given


def apply(document: Document, overrides: Sequence[Override], source: str = "") -> Document:
    """The document with each path set. ``source`` is the place named in errors; without it, the option itself."""
    changed = Document(document.name, copy.deepcopy(document.values), document.text, dict(document.places))
    for path, value in overrides:
        place = source or _option(f"{path}={value}")
        _set(changed, path, value, place)
    return changed


def _set(document: Document, path: str, value: Any, place: str) -> None:
    steps = [int(part) if part.isascii() and part.isdigit() and len(part) < 10 else part for part in path.split(".")]
    here, walked = document.values, []
    for step, following in zip(steps, [*steps[1:], None], strict=True):
        walked.append(step)
        if isinstance(here, list):
            if not isinstance(step, int) or step >= len(here):
                raise ScenarioError([Problem(place, f"{path}: there is no entry {step}; the list has {len(here)}")])
        elif not isinstance(here, dict):
            raise ScenarioError([Problem(place, f"{path}: {'.'.join(map(str, walked[:-1]))} has no fields")])
        if following is None:
            here[step] = copy.deepcopy(value)  # what is set within it later is not set in the override
        elif isinstance(here, dict) and not isinstance(here.get(step), dict | list):
            here[step] = {}
        here = here[step]
    _move_places(document, tuple(steps), place)


def _move_places(document: Document, path: tuple[str | int, ...], place: str) -> None:
    for known in [known for known in document.places if known[: len(path)] == path]:
        del document.places[known]
    for end in range(1, len(path) + 1):
        document.places.setdefault(path[:end], place)
    document.places[path] = place


def of_option(problem: Problem, option: str, given: Mapping[str, Any]) -> Problem:
    """The same of another option than ``--set`` where that is what gave one of these fields its value."""
    places = {_option(f"{path}={value}"): _option(f"{path}={value}", option) for path, value in given.items()}
    return Problem(places.get(problem.place, problem.place), problem.message)


def _option(text: str, option: str = "set") -> str:
    return f"--{option} {text}"
