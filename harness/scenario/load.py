"""A scenario file to scenarios whose fields are right, each by itself; every error says where."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from harness import topologies
from harness.base.errors import Problem, ScenarioError
from harness.scenario import anchored, document, overrides
from harness.scenario.document import Document, Path_
from harness.scenario.overrides import Override
from harness.scenario.schema import Scenario

_WORDS = {
    "string_type": "text is needed; put it in quotes",
    "int_type": "a whole number is needed",
    "int_parsing": "a whole number is needed",
    "int_from_float": "a whole number is needed",
    "float_type": "a number is needed",
    "float_parsing": "a number is needed",
    "bool_type": "true or false is needed",
    "bool_parsing": "true or false is needed",
    "list_type": "a list is needed, as in [a, b]",
    "tuple_type": "a list is needed, as in [a, b]",
    "greater_than": "more than {gt} is needed",
    "greater_than_equal": "{ge} or more is needed",
    "less_than": "less than {lt} is needed",
    "less_than_equal": "{le} or less is needed",
    "literal_error": "{expected} is needed",
    "string_pattern_mismatch": "text of the form {pattern} is needed",
    "too_short": "{min_length} or more are needed",
    "string_too_short": "{min_length} characters or more are needed",
    "finite_number": "a finite number is needed",
}
"""What pydantic says of types, in the words of who writes YAML."""

_CUT = "..."
_MAPS = ("model_type", "model_attributes_type", "dict_type")
"""Types of errors of what is no map of fields."""

VARIABLE = ("workload", "topology", "faults", "target", "seed")
"""What variants may change; the rest is decided once for a run."""


@dataclass(frozen=True)
class LoadedScenario:
    """A scenario, its name (file name without suffix), text, and the scenario of each variant.

    ``documents`` tell where each value stands: that of each variant by name, and the whole file under "".
    """

    name: str
    text: str
    scenario: Scenario
    variants: Mapping[str, Scenario]
    documents: Mapping[str, Document] = field(repr=False)

    @property
    def arms(self) -> Mapping[str, Scenario]:
        """The scenario of each arm that it describes, "" for itself where there are no variants."""
        return self.variants or {"": self.scenario}

    @property
    def uses_horovod(self) -> bool:
        """Whether any arm does, so that the target needs it."""
        return any(topologies.find(arm.topology).exchange(arm.topology).loop == "horovod" for arm in self.arms.values())

    def problem(self, variant: str, path: Path_, message: str) -> Problem:
        """What is wrong with a field of a variant, or of the scenario (""), with its place."""
        return Problem(self.documents[variant].place(path), f"{_dotted(path)}: {message}")


def read(path: Path, changes: Sequence[Override] = ()) -> LoadedScenario:
    """Read, change, check each field; ScenarioError with every problem of the scenario, or of its first bad variant."""
    return _loaded(anchored.read(path), path.stem, changes)


def parse(text: str, name: str, changes: Sequence[Override] = ()) -> LoadedScenario:
    """The same for a text; ``name`` is the scenario's."""
    return _loaded(document.parse(text, f"{name}.yaml"), name, changes)


def _loaded(written: Document, name: str, changes: Sequence[Override]) -> LoadedScenario:
    base = overrides.apply(written, changes)
    scenario = _fields_checked(base)
    documents = {variant: _varied(base, variant, fields) for variant, fields in scenario.variants.items()}
    variants = {variant: _fields_checked(varied) for variant, varied in documents.items()}
    return LoadedScenario(name, written.text, scenario, variants, {"": base, **documents})


def _varied(base: Document, name: str, fields: Mapping[str, Any]) -> Document:
    changed = base
    for path, value in fields.items():
        place = base.place(("variants", name, path))
        if not any(path == root or path.startswith(f"{root}.") for root in VARIABLE):
            message = f"{path} is the same for all variants; allowed are {', '.join(VARIABLE)} and fields of them"
            raise ScenarioError([Problem(place, message)])
        changed = overrides.apply(changed, [*replaced(path), (path, value)], place)
    return changed


def replaced(path: str) -> Sequence[Override]:
    """An interpreter takes the place of versions, and a version that of an interpreter."""
    built = tuple(f"target.{name}" for name in ("mxnet", "horovod", "numpy", "cuda", "nccl", "cudnn"))
    others = {"target.python": built, **dict.fromkeys(built, ("target.python",))}
    return [(other, None) for other in others.get(path, ())]


def _fields_checked(written: Document) -> Scenario:
    try:
        return Scenario.model_validate(written.values)
    except ValidationError as error:
        every = [details for details in error.errors() if "literal[False]" not in details["loc"]]
        places = [_path_in(written.values, details["loc"], details["type"] == "missing") for details in every]
        told = {place for place, details in zip(places, every, strict=True) if details["type"] not in _MAPS}
        # A map might have been given in place of a plain value that is wrong; what is wrong with that is told.
        kept = [
            each for place, each in zip(places, every, strict=True) if each["type"] not in _MAPS or place not in told
        ]
        problems = [_problem(written, details) for details in kept]
        raise ScenarioError(list(dict.fromkeys(problems))) from error


def _problem(written: Document, details: ErrorDetails) -> Problem:
    path = _path_in(written.values, details["loc"], details["type"] in ("missing", "extra_forbidden"))
    if details["type"] == "value_error" and isinstance(details["input"], dict):
        named, colon, message = str(details["ctx"]["error"]).partition(": ")
        fields = named.split(", ") if colon else []
        if fields and all(field in details["input"] for field in fields):  # a check of the whole map names them
            shown = ", ".join(_dotted((*path, field)) for field in fields)
            return Problem(written.place((*path, fields[0])), f"{shown}: {message}")
    return Problem(written.place(path), f"{_dotted(path) or 'scenario'}: {_message(written.values, path, details)}")


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
        is_whole = message.startswith(("is ", "has ")) and not (isinstance(details["input"], dict) and _is_cut(shown))
        return f"{shown} {message}" if is_whole else message
    if kind in _MAPS:
        fields = _allowed(path)
        those = f": {', '.join(fields)}" if 0 < len(fields) < 8 else ""
        return f"{shown} is not allowed: a map of fields is needed{those}"
    if kind == "union_tag_not_found":
        return f"needs a {details['ctx']['discriminator']}"
    if kind == "union_tag_invalid":
        return f"{details['ctx']['tag']!r} is not known; allowed are {details['ctx']['expected_tags']}"
    plain = _WORDS.get(kind)
    if plain is not None:
        return f"{shown} is not allowed: {plain.format(**_written(details.get('ctx', {})))}"
    return f"{shown} is not allowed: {details['msg'][0].lower()}{details['msg'][1:]}"


def _written(context: Mapping[str, Any]) -> dict[str, str]:
    """Values as YAML has them: true, 5 and not 5.0, and words without quotes."""
    texts = {name: f"{value:g}" if isinstance(value, float) else str(value) for name, value in context.items()}
    return {name: text.replace("True", "true").replace("'", "") for name, text in texts.items()}


def _near(values: Any, path: Path_) -> str:
    """Allowed keys are those of the schema around the unknown one."""
    allowed = _allowed(path[:-1])
    if not allowed:
        return ""
    if path[-1] in allowed:
        return ", which belongs to another kind"
    if len(path) == 1 and of_environment(str(path[-1])):
        return f"; did you mean target.env.{path[-1]}?"
    close = difflib.get_close_matches(str(path[-1]), allowed, 1)
    return f"; did you mean {close[0]}?" if close else f"; allowed are {', '.join(allowed)}"


def of_environment(field: str) -> bool:
    """Whether a name looks like that of a variable: no field is in upper case."""
    return field.isupper() and "." not in field


def _allowed(path: Path_) -> list[str]:
    """Property names at ``path`` in the JSON schema."""
    schema = _schema()
    nodes = [schema]
    for part in path:
        nodes = [child for node in nodes for child in _children(schema, node, part)]
    return sorted({name for node in nodes for name in _resolved(schema, node).get("properties", {})})


@cache
def _schema() -> dict[str, Any]:
    return Scenario.model_json_schema()


def _children(schema: dict[str, Any], node: dict[str, Any], part: str | int) -> list[dict[str, Any]]:
    node = _resolved(schema, node)
    child = node.get("items") if isinstance(part, int) else node.get("properties", {}).get(part)
    return _alternatives(schema, child) if child else []


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
    return text if len(text) <= 60 else text[:57] + _CUT


def _is_cut(shown: str) -> bool:
    return shown.endswith(_CUT)


def _dotted(path: Path_) -> str:
    return ".".join(str(part) for part in path)
