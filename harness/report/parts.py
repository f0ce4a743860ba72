"""What there is of each kind, from the registries: for terminals, and as Markdown that pages hold between marks.

A page has ``<!-- parts: faults -->`` and ``<!-- end of parts -->`` around a table; ``names`` stands for names alone.
"""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel
from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from harness import checks, faults, measures, shapes, topologies
from harness.base import registry
from harness.base.errors import InputError
from harness.scenario import models

KINDS = ("faults", "topologies", "shapes", "models", "measures", "checks")
_BEGIN = re.compile(r"<!--\s*(?:parts|names):")
_MARK = re.compile(r"(<!-- (parts|names): (\w+) -->\n).*?(<!-- end of \2 -->)", re.S)


@dataclass(frozen=True)
class Part:
    """One part: its name, what it is in its author's words, and for a fault what proves it."""

    name: str
    what: str
    proof: str = ""


def parts(kind: str) -> list[Part]:
    """Every part of a kind, in order of names; InputError for a kind that is none."""
    if kind not in KINDS:
        raise InputError(f"{kind!r} is no kind of part; there are {', '.join(KINDS)}")
    if kind == "models":
        return [Part(name, _paragraph(_module_docstring(name))) for name in models.own()]
    return [_part(name, part) for name, part in sorted(_classes(kind).items())]


def _classes(kind: str) -> Mapping[str, type]:
    classes: Mapping[str, Mapping[str, type]] = {
        "faults": faults.all_faults(),
        "topologies": topologies.all_topologies(),
        "shapes": shapes.all_shapes(),
        "measures": measures.all_measures(),
        "checks": checks.all_checks(),
    }
    return classes.get(kind, {})


def _part(name: str, part: type) -> Part:
    receipt = getattr(part, "receipt", None)
    return Part(name, _paragraph(part.__doc__ or ""), _paragraph(inspect.getdoc(receipt) or "") if receipt else "")


def _module_docstring(model: str) -> str:
    """Of a file that the target imports, not we."""
    file = registry.source(registry.modules("harness.worker.models")[model])
    return ast.get_docstring(ast.parse(file.read_text())) or ""


def _paragraph(docstring: str) -> str:
    """The first one, in a line."""
    return " ".join(docstring.split("\n\n")[0].split()).replace("``", "`")


def render(kind: str) -> Table:
    """Make a table of a kind for terminals, a row a part; InputError for a kind that is none."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column(kind, no_wrap=True)
    table.add_column("what")
    for part in parts(kind):
        table.add_row(part.name, Text(part.what))
    return table


@dataclass(frozen=True)
class Field:
    """A field that a part takes in a scenario: what it may be, and what it is where it is left out (None: it may not
    be).
    """

    name: str
    takes: str
    default: str | None
    what: str


def fields(name: str) -> dict[str, list[Field]]:
    """Those of each kind of part that has this name; empty where a part takes none, InputError where none has it."""
    found = {kind: _classes(kind)[name] for kind in KINDS if name in _classes(kind)}
    if not found and name not in models.own():
        raise InputError(f"{name!r} is no part and no kind of part; the kinds are {', '.join(KINDS)}")
    return {kind: _fields(part) if issubclass(part, BaseModel) else [] for kind, part in found.items()}


def _fields(part: type[BaseModel]) -> list[Field]:
    schema = part.model_json_schema()
    needed, known = schema.get("required", ()), schema.get("$defs", {})
    return [
        Field(
            name, _takes(entry, known), None if name in needed else _value(entry.get("default")), _about(entry, known)
        )
        for name, entry in schema.get("properties", {}).items()
    ]


def _about(entry: dict[str, Any], known: dict[str, Any]) -> str:
    """A field's own description, or that of what it takes."""
    inner = [entry, *(known[each["$ref"].rsplit("/", 1)[1]] for each in entry.get("anyOf", [entry]) if "$ref" in each)]
    return _paragraph(next((each["description"] for each in inner if "description" in each), ""))


def _value(default: Any) -> str:
    return "" if default is None else str(default).lower() if isinstance(default, bool) else str(default)


def _takes(entry: dict[str, Any], known: dict[str, Any]) -> str:
    """What a schema allows, in words."""
    if "$ref" in entry:
        entry = known[entry["$ref"].rsplit("/", 1)[1]]
    if "anyOf" in entry:
        return " or ".join(_takes(each, known) for each in entry["anyOf"] if each.get("type") != "null")
    if "enum" in entry or "const" in entry:
        return ", ".join(map(_value, entry.get("enum") or [entry["const"]]))
    if "examples" in entry:
        return f"as {', '.join(entry['examples'])}"
    if entry.get("type") == "object" and "properties" in entry:
        return "{" + ", ".join(entry["properties"]) + "}"
    if entry.get("type") == "array":
        return f"a list: {_takes(entry.get('items', {}), known)}"
    return _TYPES.get(entry.get("type", ""), "anything") + _limits(entry)


_TYPES = {
    "integer": "a whole number",
    "number": "a number",
    "string": "text",
    "boolean": "true, false",
    "object": "a map",
}
_LIMITS = {"minimum": "from", "exclusiveMinimum": "above", "maximum": "to", "exclusiveMaximum": "below"}


def _limits(entry: dict[str, Any]) -> str:
    return "".join(f" {word} {entry[limit]:g}" for limit, word in _LIMITS.items() if limit in entry)


def detail(name: str) -> RenderableType:
    """Say what a part is, which fields it takes and what proves it; InputError where there is none of that name."""
    told: list[RenderableType] = []
    kinds = list(fields(name).items()) or [("models", [])]
    for kind, taken in kinds:
        (part,) = [part for part in parts(kind) if part.name == name]
        told.append(Text(f"{name} ({kind}): {part.what}"))
        if taken:
            told.append(_table(taken))
        if part.proof:
            told.append(Text(f"proven by: {part.proof}"))
    return Group(*told)


def _table(taken: list[Field]) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("field", no_wrap=True)
    for column in ("takes", "if left out", "what"):
        table.add_column(column)
    for field in taken:
        table.add_row(
            Text(field.name),
            Text(field.takes),
            Text("needed" if field.default is None else field.default),
            Text(field.what),
        )
    return table


def updated(page: str) -> str:
    """A Markdown page with its marked parts as they are now; InputError for a mark of no kind, or without its end."""
    if len(_MARK.findall(page)) != len(_BEGIN.findall(page)) or not _BEGIN.search(page):
        raise InputError("the page has no pair of marks, as in <!-- parts: faults --> and <!-- end of parts -->")
    return _MARK.sub(lambda match: match[1] + _markdown(match[2], match[3]) + match[4], page)


def _markdown(form: str, kind: str) -> str:
    if form == "names":
        return _folded(", ".join(f"`{part.name}`" for part in parts(kind))) + "\n"
    listed = parts(kind)
    columns = ["name", "what", *(["proven by"] if any(part.proof for part in listed) else [])]
    cells = [[f"`{part.name}`", part.what, *([part.proof] if part.proof else [])] for part in listed]
    rows = [columns, ["---"] * len(columns), *cells]
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def _folded(text: str, width: int = 118) -> str:
    """Broken at spaces, as the pages are."""
    lines = [""]
    for word in text.split(" "):
        if len(lines[-1]) + len(word) >= width:
            lines.append("")
        lines[-1] += f" {word}" if lines[-1] else word
    return "\n".join(lines)
