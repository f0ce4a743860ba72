"""The list of runs."""

from __future__ import annotations

from rich import box
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from harness.report.verdict import STYLES
from harness.storage.run_index import Entry


def render(entries: list[Entry]) -> RenderableType:
    """One line a run, oldest first."""
    if not entries:
        return Text("no runs yet; start one with `harness run SCENARIO`")
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for column in ("run", "status", "verdict", "question"):
        table.add_column(column, overflow="fold", no_wrap=column == "run")
    for entry in entries:
        verdict = Text(entry.verdict, STYLES.get(entry.verdict, ""))
        table.add_row(entry.run, entry.status, verdict, Text(entry.title or entry.reason))
    return table
