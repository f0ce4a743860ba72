"""The list of runs."""

from __future__ import annotations

from collections.abc import Sequence

from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from harness.report.verdict import STYLES
from harness.storage.run_index import Entry

NARROW = 100
"""Columns below which a run takes two lines."""


def lines_each(width: int) -> int:
    """Lines that a run takes on a terminal of so many columns."""
    return 1 if width >= NARROW else 2


def render(entries: Sequence[Entry], width: int) -> RenderableType:
    """One line a run, or two where there is little room, in the order given."""
    return _table(entries) if width >= NARROW else Group(*map(_lines, entries))


def _table(entries: Sequence[Entry]) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, expand=True)
    for column in ("run", "verdict", "mxnet"):
        table.add_column(column, no_wrap=True)
    table.add_column("question", no_wrap=True, overflow="ellipsis", ratio=1)
    for entry in entries:
        table.add_row(entry.run, _word(entry), ", ".join(entry.mxnet), Text(entry.title or entry.reason))
    return table


def _lines(entry: Entry) -> RenderableType:
    words = Text.assemble("  ", _word(entry), f"  {', '.join(entry.mxnet)}  {entry.title or entry.reason}")
    words.no_wrap, words.overflow = True, "ellipsis"
    return Group(Text(entry.run, "bold", no_wrap=True, overflow="fold"), words)


def _word(entry: Entry) -> Text:
    return Text(entry.word, STYLES.get(entry.word, ""))
