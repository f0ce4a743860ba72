"""The table of faults and topologies, for terminals and as Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from rich import box
from rich.table import Table as RichTable
from rich.text import Text

from harness.base.printable import printable
from harness.studies.table import HEALTHY, Result, words

MOST_REASONS = 12
_STYLES = {"completed": "green", "hung": "yellow", "crashed": "red", "diverged": "magenta"}


def render(results: Sequence[Result]) -> RichTable:
    """A row a fault, a column a topology."""
    columns, rows = _axes(results)
    table = RichTable(box=box.SIMPLE_HEAD, pad_edge=False)
    for title in ("fault", *columns):
        table.add_column(title, overflow="fold")
    cells = _by_place(results)
    for row in rows:
        table.add_row(row, *(_cell(cells, row, column) for column in columns))
    return table


def evidence(results: Sequence[Result]) -> Iterator[Text]:
    """Why each cell ended as it did, where that is not to the end, and the run that shows it."""
    ended = [each for each in results if each.outcome != "completed" or each.unproven]
    for each in ended[:MOST_REASONS]:
        why = each.unproven or (f"{each.where} ({each.reason})" if each.where else each.reason)
        told = f"{each.topology}, {each.fault}: {each.outcome}: {printable(why)}"
        yield Text.assemble(told, (f"\n  harness show {each.run}", "dim") if each.run else "")
    if len(ended) > MOST_REASONS:
        yield Text(f"and {len(ended) - MOST_REASONS} more: --json has the reason and the run of each", "dim")


def markdown(results: Sequence[Result]) -> str:
    """Make the table as Markdown, for a page."""
    columns, rows = _axes(results)
    cells = _by_place(results)
    lines = [f"| fault | {' | '.join(columns)} |", f"|---|{'---|' * len(columns)}"]
    lines += [f"| {row} | {' | '.join(_cell(cells, row, column).plain for column in columns)} |" for row in rows]
    return "\n".join(lines) + "\n"


def _axes(results: Sequence[Result]) -> tuple[list[str], list[str]]:
    columns, rows = (dict.fromkeys(getattr(result, axis) for result in results) for axis in ("topology", "fault"))
    return list(columns), list(rows)


def _by_place(results: Sequence[Result]) -> dict[tuple[str, str], Result]:
    return {(result.fault, result.topology): result for result in results}


def _cell(cells: Mapping[tuple[str, str], Result], row: str, column: str) -> Text:
    result = cells.get((row, column))
    if result is None:
        return Text("–")
    return Text(words(result, cells.get((HEALTHY, column))), _STYLES.get(result.outcome, ""))
