"""YAML text to plain values, each with its place in the file. Only what scenarios need; everything else is refused."""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml
from yaml.constructor import SafeConstructor
from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from harness.base.errors import Problem, ScenarioError

MAX_BYTES = 1_000_000
MAX_VALUES = 20_000
MAX_DEPTH = 50
_PLAIN = {
    "tag:yaml.org,2002:null": "null",
    "tag:yaml.org,2002:bool": "true or false",
    "tag:yaml.org,2002:int": "a number",
    "tag:yaml.org,2002:float": "a number",
    "tag:yaml.org,2002:str": "text",
}

_PYTHON = re.compile(r"^(import [\w.]+( as \w+)?|from [\w.]+ import \S.*)$", re.M)
"""A line that begins so is none of a scenario, where every line is a key or belongs to one."""

OF_SCENARIO = "a scenario needs at least a title and a workload"
"""What an empty file is short of."""

Path_ = tuple[str | int, ...]


@dataclass
class Document:
    """The values of one file and where each stands. ``places`` has keys and values, by path."""

    name: str
    values: Any
    text: str = ""
    places: dict[Path_, str] = field(default_factory=dict)

    def place(self, path: Path_) -> str:
        """The place of ``path``, or of the nearest value around it that was written."""
        while path not in self.places and path:
            path = path[:-1]
        return self.places.get(path, f"{self.name}:1:1")


def read(path: Path, needed: str = OF_SCENARIO) -> Document:
    """The document in a file; ScenarioError when it cannot be read, is not plain YAML, or is empty (``needed``)."""
    name = str(path)
    try:
        name.encode()
    except UnicodeEncodeError as error:
        raise ScenarioError([Problem(ascii(name), "the file's name is not UTF-8; rename it")]) from error
    try:
        with open(path, "rb") as file:
            data = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise ScenarioError([Problem(name, f"cannot be read: {(error.strerror or str(error)).lower()}")]) from error
    if len(data) > MAX_BYTES:
        raise _error(f"{name}:1:1", f"the file is larger than {MAX_BYTES // 1000} kB; a scenario is a few kB")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        column = error.start - data.rfind(b"\n", 0, error.start)
        message = f"byte 0x{data[error.start]:02x} is not UTF-8; save the file as UTF-8"
        raise _error(f"{name}:{line}:{column}", message) from error
    if name.endswith(".py") or _PYTHON.search(text):
        how = "to have one written for a training script"
        raise _error(f"{name}:1:1", f"this is Python, not a scenario; {how}: harness try {name}")
    return parse(text, name, needed)


def parse(text: str, name: str, needed: str = OF_SCENARIO) -> Document:
    """The document in a text; ``name`` is the file's, for places."""
    try:
        node = yaml.compose(text, Loader=_Loader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = f"{name}:{mark.line + 1}:{mark.column + 1}" if mark else f"{name}:1:1"
        raise _error(place, f"not YAML: {_in_words(error)}") from error
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        raise _error(f"{name}:{line}:1", f"not YAML: {error.reason} (#x{error.character:04x})") from error
    except (OverflowError, ValueError) as error:
        raise _error(_no_character(text, name), f"not YAML: an escape that names no character ({error})") from error
    except RecursionError as error:
        raise _error(f"{name}:1:1", f"nested deeper than {MAX_DEPTH} levels") from error
    if node is None:
        raise _error(f"{name}:1:1", f"the file is empty; {needed}")
    document = Document(name, None, text)
    document.values = _Reader(document).value(node, ())
    return document


def _in_words(error: yaml.MarkedYAMLError) -> str:
    """What is wrong, as people who write YAML say it; the parser's words where these do not say it better."""
    problem = str(error.problem or error.context)
    begun = error.context_mark.line + 1 if error.context_mark else 0
    if "'\\t'" in problem:
        return "a tab stands here; YAML is indented with spaces"
    if problem.startswith("expected <block end>"):
        return f"this does not continue what began in line {begun}: is it indented as far as its neighbours there?"
    if problem.startswith("could not find expected ':'"):
        return f"the key that begins in line {begun} has no colon, or lacks the space after it"
    if problem.startswith("mapping values are not allowed"):
        return (
            "a second `key: value` within a value: put text with a colon in quotes, or look at how far this is indented"
        )
    return problem


def _no_character(text: str, name: str) -> str:
    """The place of the first escape beyond the last character of Unicode."""
    escapes = (match for match in re.finditer(r"\\U([0-9A-Fa-f]{8})", text) if int(match[1], 16) > sys.maxunicode)
    position = next((match.start() for match in escapes), 0)
    line_start = text.rfind("\n", 0, position) + 1
    return f"{name}:{text.count(chr(10), 0, position) + 1}:{position - line_start + 1}"


class _Loader(yaml.SafeLoader):
    """Knows 1e-3 as the number that YAML 1.2 and everybody else take it for; for YAML 1.1 it is text."""


_Loader.add_implicit_resolver("tag:yaml.org,2002:float", re.compile(r"[-+]?[0-9]+[eE][-+]?[0-9]+$"), [*"-+0123456789"])


class _Reader:
    """Turns nodes into values and notes their places. Aliases are expanded, up to a limit in all."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self._count = 0
        self._constructor = SafeConstructor()

    def value(self, node: Node, path: Path_) -> Any:
        place = self._note(node, path)
        self._count += 1
        if self._count > MAX_VALUES:
            raise _error(place, f"more than {MAX_VALUES} values, with aliases expanded")
        if len(path) > MAX_DEPTH:
            raise _error(place, f"nested deeper than {MAX_DEPTH} levels")
        if isinstance(node, MappingNode) and node.tag == "tag:yaml.org,2002:map":
            return self._mapping(node, path)
        if isinstance(node, SequenceNode) and node.tag == "tag:yaml.org,2002:seq":
            return [self.value(item, (*path, index)) for index, item in enumerate(node.value)]
        return self._scalar(node, place)

    def _mapping(self, node: MappingNode, path: Path_) -> dict[str, Any]:
        values: dict[str, Any] = {}
        for key_node, value_node in node.value:
            place = self._place(key_node)
            if not isinstance(key_node, ScalarNode):
                raise _error(place, "a key must be a word")
            key = key_node.value
            if key in values:
                raise _error(place, f"the key {key!r} stands twice")
            values[key] = self.value(value_node, (*path, key))
            self._document.places[(*path, key)] = place
        return values

    def _scalar(self, node: Node, place: str) -> Any:
        if node.tag == "tag:yaml.org,2002:timestamp":
            return str(node.value)
        if not isinstance(node, ScalarNode) or node.tag not in _PLAIN:
            tag = node.tag.replace("tag:yaml.org,2002:", "!!")
            raise _error(place, f"the tag {tag} is not allowed; scenarios hold maps, lists, text, numbers and booleans")
        try:
            node.value.encode()
            return self._constructor.construct_object(node)
        except (ValueError, KeyError, IndexError) as error:
            raise _error(place, f"{node.value!r} is not {_PLAIN[node.tag]}") from error

    def _note(self, node: Node, path: Path_) -> str:
        return self._document.places.setdefault(path, self._place(node))

    def _place(self, node: Node) -> str:
        return f"{self._document.name}:{node.start_mark.line + 1}:{node.start_mark.column + 1}"


def _error(place: str, message: str) -> ScenarioError:
    return ScenarioError([Problem(place, message)])
