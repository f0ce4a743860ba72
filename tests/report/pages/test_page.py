from __future__ import annotations

from html.parser import HTMLParser

from rich.console import Group
from rich.table import Table
from rich.text import Text

from harness.report.pages import as_html, page
from harness.report.pages.page import Source
from tests.report.pages.conftest import EVIL, Example

SOURCE = Source("20261123T122110-why-488953", f"title: {EVIL}\n", "harness replay last")
VOID = {"meta", "br", "line", "circle", "rect", "polygon"}


class Elements(HTMLParser):
    """Names, attributes and text of all elements; that each is closed where it has to be."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.names: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.open: list[str] = []
        self.text = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names.append(tag)
        self.attributes += attrs
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID:
            assert self.open.pop() == tag

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names.append(tag)
        self.attributes += attrs

    def handle_data(self, data: str) -> None:
        self.text += data


def test_a_page_of_a_run_has_everything_and_stands_alone(example: Example) -> None:
    text = page.of_run(example.verdict, example.timelines, ["K1: one slow worker"], SOURCE)
    found = Elements(text)
    assert found.open == []
    assert {"script", "link", "img", "iframe", "object"} & set(found.names) == set()
    assert [value for name, value in found.attributes if name in ("src", "href") or name.startswith("on")] == []
    assert "url(" not in text and "@import" not in text
    for words in (
        "invalid", f"Why {EVIL}?", "K1: one slow worker", f"crashed, expected completed: the reason {EVIL}",
        f"the last words {EVIL}", "throughput, by windows", "worker/1", "harness replay last", f"title: {EVIL}", EVIL,
        "mxnet 1.9.1",
    ):  # fmt: skip
        assert words in found.text, words
    assert text.count('<svg class="timeline"') == 1
    assert "<title>kill: receipt " in text


def test_what_terminals_show_becomes_paragraphs_and_tables() -> None:
    table = Table("arm", "why")
    table.add_row("main", Text("a <b> [c]", "bold red"))
    shown = Group(Text.assemble(("PASS", "green"), "  x"), table)
    assert str(as_html.blocks(shown)) == (
        '<p><span class="green">PASS</span>  x</p>\n'
        "<table><thead><tr><th>arm</th><th>why</th></tr></thead><tbody>\n"
        '<tr><td data-head="arm">main</td><td data-head="why"><span class="red bold">a &lt;b&gt; [c]</span></td></tr>\n'
        "</tbody></table>\n"
    )


def test_a_page_of_a_study_has_its_picture_without_what_stands_before_it() -> None:
    picture = '<?xml version="1.0"?>\n<!DOCTYPE svg>\n<svg viewBox="0 0 1 1"></svg>'
    text = page.of_study(f"A {EVIL}", Text("faster"), picture, SOURCE)
    assert '<div class="picture"><svg viewBox="0 0 1 1"></svg></div>' in text
    assert "<!DOCTYPE svg>" not in text
    assert EVIL not in text and "faster" in Elements(text).text


def test_a_page_of_a_study_without_a_picture_and_with_its_answer() -> None:
    text = page.of_study("May we?", Text("because"), "", SOURCE, "not decided")
    assert "As a picture" not in text
    assert '<span class="badge not decided">not decided</span>' in text


def test_a_study_tells_the_machine_where_it_is_known() -> None:
    facts = {"cpu_model": "Some CPU", "cores": 2, "memory_bytes": 8 << 30, "kernel": "6.1", "target": {}}
    text = page.of_study("Compared", Text("because"), "", SOURCE, facts=facts)
    assert "software not recorded; Some CPU, 2 cores, 8.59 GB, kernel 6.1" in text
    assert "Machine and software" in text
    assert "Machine and software" not in page.of_study("Compared", Text("because"), "", SOURCE)
