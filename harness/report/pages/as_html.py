"""What terminals show as HTML: the same words, in tables that a browser lays out. All text is escaped."""

from __future__ import annotations

import io

from markupsafe import Markup, escape
from rich.console import Console, Group, RenderableType
from rich.style import Style
from rich.table import Table
from rich.text import Text


def blocks(shown: RenderableType) -> Markup:
    """Paragraphs and tables, in order."""
    if isinstance(shown, Group):
        return Markup().join(map(blocks, shown.renderables))
    if isinstance(shown, Table):
        return _table(shown)
    return Markup("<p>{}</p>\n").format(inline(shown))


def inline(shown: object) -> Markup:
    """A cell or a paragraph, with its styles as classes: ``green``, ``bold``, ``dim``."""
    if not isinstance(shown, Text):
        return escape(str(shown))
    console = Console(file=io.StringIO(), color_system="truecolor")
    if not shown.spans:  # rich renders these without their own style
        return _styled(shown.plain, console.get_style(shown.style))
    shown.end = ""
    return Markup().join(_styled(segment.text, segment.style) for segment in shown.render(console))


def _styled(text: str, style: Style | None) -> Markup:
    names = _classes(style) if style else ""
    return Markup('<span class="{}">{}</span>').format(names, text) if names else escape(text)


def _classes(style: Style) -> str:
    colour = style.color.name if style.color else ""
    return " ".join(filter(None, (colour, "bold" if style.bold else "", "dim" if style.dim else "")))


def _table(table: Table) -> Markup:
    heads = [str(column.header) for column in table.columns]
    rows = zip(*(column.cells for column in table.columns), strict=True)
    title = Markup("<caption>{}</caption>").format(str(table.title)) if table.title else Markup()
    return grid(heads, [[inline(cell) for cell in row] for row in rows], title)


def grid(heads: list[str], rows: list[list[Markup]], title: Markup | None = None) -> Markup:
    """A table; on narrow pages each row becomes a block, whose cells say what they are."""
    head = Markup().join(Markup("<th>{}</th>").format(name) for name in heads)
    body = Markup().join(
        Markup("<tr>{}</tr>\n").format(
            Markup().join(
                Markup('<td data-head="{}">{}</td>').format(name, cell) for name, cell in zip(heads, row, strict=True)
            )
        )
        for row in rows
    )
    return Markup("<table>{}<thead><tr>{}</tr></thead><tbody>\n{}</tbody></table>\n").format(title or "", head, body)
