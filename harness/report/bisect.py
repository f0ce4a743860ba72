"""A bisection as text: the answer, then what each target that was asked showed."""

from __future__ import annotations

from collections.abc import Iterator

from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from harness.base.printable import printable
from harness.studies.bisect import Bisect
from harness.studies.operators import Operators

_STYLES = {"yes": "red", "no": "green", "unknown": "yellow"}


def render(study: Bisect) -> RenderableType:
    """In the order of the targets, also those that nobody had to ask."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for column in ("target", "shows it", "because"):
        table.add_column(column, overflow="fold")
    for each in study.summary()["targets"]:
        asked = each["because"] != "not asked"
        word = Text(each["shows"], _STYLES[each["shows"]]) if asked else Text("–", "dim")
        table.add_row(each["target"], word, Text(printable(each["because"]), "" if asked else "dim"))
    return Group(Text(printable(study.in_words), "bold"), table, *_program(study))


def _program(study: Bisect) -> Iterator[Text]:
    """How a program is written that shows what the last target does otherwise."""
    last = study.parts.get(study.keys_[-1])
    if isinstance(last, Operators) and last.folder is not None and last.parity is not None and last.parity.differences:
        shows = f"harness operators --resume {last.folder.id} --scripts FOLDER"
        yield Text(f"a program that shows what differs: {shows}", "dim")
