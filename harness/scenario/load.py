"""A scenario file to a checked scenario; every error says where."""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from harness.errors import Problem, ScenarioError
from harness.scenario import document, overrides, rules
from harness.scenario.document import Document, Path_
from harness.scenario.overrides import Override
from harness.scenario.schema import Scenario

VARIABLE = ("workload", "topology", "faults", "target.env", "seed")
"""What variants may change; the rest is decided once for a run."""


@dataclass(frozen=True)
class LoadedScenario:
    """A checked scenario, its name (file name without suffix), text, and the scenario of each variant."""

    name: str
    text: str
    scenario: Scenario
    variants: dict[str, Scenario]

    @property
    def uses_horovod(self) -> bool:
        """Whether any arm does, so that the target needs it."""
        return any(one.topology.horovod for one in [self.scenario, *self.variants.values()])


def load(path: Path, changes: list[Override] | None = None) -> LoadedScenario:
    """Read, change, check; ScenarioError with every problem found."""
    read = document.read(path)
    changed = overrides.apply(read, changes or [])
    scenario = _checked(changed)
    variants = {name: _variant(changed, name, fields) for name, fields in scenario.variants.items()}
    broken = rules.violations_between(scenario, variants)
    _raise([Problem(changed.place(path), f"{_dotted(path)}: {message}") for path, message in broken])
    return LoadedScenario(path.stem, read.text, scenario, variants)


def _variant(base: Document, name: str, fields: dict[str, Any]) -> Scenario:
    changed = base
    for field, value in fields.items():
        place = base.place(("variants", name, field))
        if not any(field == root or field.startswith(f"{root}.") for root in VARIABLE):
            message = f"{field} is the same for all variants; allowed are {', '.join(VARIABLE)} and fields of them"
            _raise([Problem(place, message)])
        changed = overrides.apply(changed, [(field, value)], place)
    return _checked(changed)


def _checked(read: Document) -> Scenario:
    try:
        scenario = Scenario.model_validate(read.values)
    except ValidationError as error:
        problems = [_problem(read, details) for details in error.errors() if "literal[False]" not in details["loc"]]
        raise ScenarioError(list(dict.fromkeys(problems))) from error
    broken = rules.violations(scenario)
    _raise([Problem(read.place(path), f"{_dotted(path)}: {message}") for path, message in broken])
    return scenario


def _raise(problems: list[Problem]) -> None:
    if problems:
        raise ScenarioError(problems)


def _problem(read: Document, details: ErrorDetails) -> Problem:
    path = _path_in(read.values, details["loc"], details["type"] in ("missing", "extra_forbidden"))
    return Problem(read.place(path), f"{_dotted(path) or 'scenario'}: {_message(read.values, path, details)}")


def _path_in(values: Any, loc: Path_, about_a_key: bool) -> Path_:
    """pydantic also names union members; keep what is in the document, and a last key that is missing or unknown."""
    path: list[str | int] = []
    for index, part in enumerate(loc):
        if (isinstance(values, dict) and part in values) or (isinstance(values, list) and isinstance(part, int)):
            path.append(part)
            values = values[part]  # type: ignore[index]
        elif about_a_key and index == len(loc) - 1:
            path.append(part)
    return tuple(path)


def _message(values: Any, path: Path_, details: ErrorDetails) -> str:
    shown = _shown(details["input"])
    kind = details["type"]
    if kind == "missing":
        return "is missing"
    if kind == "extra_forbidden":
        return f"unknown key{_near(values, path)}"
    if kind == "value_error":
        message = str(details["ctx"]["error"])
        return f"{shown} {message}" if message.startswith(("is ", "has ")) else message
    if kind in ("model_type", "model_attributes_type", "dict_type"):
        return f"{shown} is not allowed: a map of fields is needed"
    if kind == "union_tag_not_found":
        return f"needs a {details['ctx']['discriminator']}"
    if kind == "union_tag_invalid":
        return f"{details['ctx']['tag']!r} is not known; allowed are {details['ctx']['expected_tags']}"
    return f"{shown} is not allowed: {details['msg'][0].lower()}{details['msg'][1:]}"


def _near(values: Any, path: Path_) -> str:
    """Allowed keys are those of the schema around the unknown one."""
    allowed = _allowed(path[:-1])
    if not allowed:
        return ""
    close = difflib.get_close_matches(str(path[-1]), allowed, 1)
    return f"; did you mean {close[0]}?" if close else f"; allowed are {', '.join(allowed)}"


def _allowed(path: Path_) -> list[str]:
    """Property names at ``path`` in the JSON schema."""
    schema = _schema()
    nodes = [schema]
    for part in path:
        nodes = [found for node in nodes for found in _children(schema, node, part)]
    return sorted({name for node in nodes for name in _resolved(schema, node).get("properties", {})})


@cache
def _schema() -> dict[str, Any]:
    return Scenario.model_json_schema()


def _children(schema: dict[str, Any], node: dict[str, Any], part: str | int) -> list[dict[str, Any]]:
    node = _resolved(schema, node)
    found = node.get("items") if isinstance(part, int) else node.get("properties", {}).get(part)
    return _alternatives(schema, found) if found else []


def _alternatives(schema: dict[str, Any], node: dict[str, Any]) -> list[dict[str, Any]]:
    node = _resolved(schema, node)
    options = node.get("anyOf", []) + node.get("oneOf", [])
    return [leaf for option in options for leaf in _alternatives(schema, option)] or [node]


def _resolved(schema: dict[str, Any], node: dict[str, Any]) -> dict[str, Any]:
    while "$ref" in node:
        node = schema["$defs"][node["$ref"].rsplit("/", 1)[1]]
    return node


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


def _dotted(path: Path_) -> str:
    return ".".join(str(part) for part in path)
