"""A qualification as text: go or no-go first, then a row a question with its reasons."""

from __future__ import annotations

from collections.abc import Iterator

from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from harness.base.printable import printable
from harness.studies import survival
from harness.studies.compare import Compare
from harness.studies.qualification import DRIFT, OPERATORS, ROWS, SPEED, SURVIVAL, Asked
from harness.studies.qualify import Qualify
from harness.studies.row import Reason, Row, in_short

MOST_REASONS = 12
"""Of a row, in the table; all are in the JSON."""

STYLES = {"go": "bold green", "no-go": "bold red", "not decided": "bold yellow"}


def render(study: Qualify) -> RenderableType:
    """The answer, the rows, and what was found besides."""
    head = Text(headline(study))
    head.stylize(STYLES[study.word], 0, len(study.word))
    return Group(head, _table(study.rows), *_told(study))


def headline(study: Qualify) -> str:
    """The answer, how far was asked, and of what."""
    asked = study.asked_
    limits = "; ".join(_limits(asked))
    alone = f" as far as asked ({limits})" if limits else ""
    return f"{study.word.upper()}{alone}: {asked.old} → {asked.new}"


def _limits(asked: Asked) -> Iterator[str]:
    """What was left out by options."""
    if len(asked.rows) != len(ROWS):
        yield ", ".join(asked.rows)
    if OPERATORS in asked.rows and asked.operators:
        yield f"operators: {', '.join(asked.operators)}"
    horovod = ("horovod",) if asked.old.horovod and asked.new.horovod else ()
    for name, own, usual in (
        ("topologies", asked.topologies, (*survival.TOPOLOGIES, *horovod)),
        ("faults", asked.faults, survival.FAULTS),
    ):
        if SURVIVAL in asked.rows and {*usual} - {*own}:
            yield f"{name}: {', '.join(own) or 'none'}"


def of_row(row: Row) -> RenderableType:
    """One row by itself."""
    return Group(_table([row]), *(Text(printable(line), "dim") for line in row.told))


def _table(rows: list[Row]) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_lines=False)
    for column in ("asked", "answer", "because"):
        table.add_column(column, overflow="fold", no_wrap=column == "answer")
    for row in rows:
        table.add_row(row.title, Text(row.word, STYLES[row.word]), Text("\n").join(_reasons(row)))
    return table


def _reasons(row: Row) -> Iterator[Text]:
    reasons = list(in_short(row.reasons))
    yield from (_reason(reason) for reason in reasons[:MOST_REASONS])
    if len(reasons) > MOST_REASONS:
        yield Text(f"and {len(reasons) - MOST_REASONS} more: --json has all", "dim")
    if not row.reasons:
        yield Text("nothing speaks against it", "dim")


def _reason(reason: Reason) -> Text:
    text = printable(reason.text)
    if reason.accepted:
        return Text(f"accepted: {text}: {printable(reason.accepted)}", "dim")
    return Text(text, STYLES[reason.word].removeprefix("bold "))


def _undecided(study: Qualify) -> Iterator[str]:
    """Studies that would have an answer with a larger budget, of those that a row rests on."""
    asked = (part for key, part in study.parts.items() if key.partition("-")[0] in (DRIFT, SPEED))
    for part in asked:
        is_open = isinstance(part, Compare) and not part.broken and any(map(part.enough, part.evidence.findings()))
        if is_open and part.folder is not None:
            yield part.folder.id


def _told(study: Qualify) -> Iterator[Text]:
    for row in study.rows:
        yield from (Text(f"{row.title}: {printable(line)}", "dim") for line in row.told)
    operators = [each for row in study.rows for each in row.evidence if each.endswith("-operators")]
    if operators and any(each.name.startswith("operator ") for row in study.rows for each in row.reasons):
        shows = f"harness operators --resume {operators[0]} --scripts FOLDER"
        yield Text(f"programs that show what differs: {shows}", "dim")
    if (open_ := [*_undecided(study)]) and study.folder is not None:
        more = f"harness compare --resume {open_[0]} --budget 10min, then harness qualify --resume {study.folder.id}"
        others = f" (likewise {', '.join(open_[1:])})" if open_[1:] else ""
        yield Text(f"what more pairs would decide has more time by: {more}{others}", "dim")
    names = [each.name for row in study.rows for each in row.reasons if each.name and not each.accepted]
    if names:
        shown = printable(names[0])
        yield Text(f"reasons are accepted by their names (--accept), as in {shown!r}; --json has all", "dim")
    evidence = [each for row in study.rows for each in row.evidence]
    if evidence:
        yield Text(
            f"studies behind it, each to be shown by harness report: {', '.join(dict.fromkeys(evidence))}", "dim"
        )
