"""What there is of each kind, from the registries: for terminals, and as Markdown that pages hold between marks.

A page has ``<!-- parts: faults -->`` and ``<!-- end of parts -->`` around a table; ``names`` stands for names alone.
"""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Mapping
from dataclasses import dataclass

from rich import box
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
    classes: Mapping[str, Mapping[str, type]] = {
        "faults": faults.all_faults(),
        "topologies": topologies.all_topologies(),
        "shapes": shapes.all_shapes(),
        "measures": measures.all_measures(),
        "checks": checks.all_checks(),
    }
    return [_part(name, part) for name, part in sorted(classes[kind].items())]


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
