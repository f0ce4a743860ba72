"""What a night says on the terminal."""

from __future__ import annotations

from io import StringIO

from rich.console import Console

from harness.report.nightly import headline, render, table, told
from harness.studies.nights import Night
from tests.report.pages.test_nightly import ALERT, NIGHT


def _text(renderable: object) -> str:
    console = Console(file=StringIO(), width=100)
    console.print(renderable)
    assert isinstance(console.file, StringIO)
    return console.file.getvalue()


def test_the_line_comes_first_and_an_answer_says_what_why_and_which() -> None:
    text = _text(render(NIGHT, {}))
    assert text.startswith("1 new alert; 1 alert, 1 failed; 3 rounds\n")
    assert "software: lenet main, throughput, id a1\n  b is slower | <b>\n  because of: the script" in text
    assert "\n    train.py:3 + sleep(1) # <b>\n" in text
    assert '\n  if that is as it should be: harness nightly accept a1 --because "WHY"\n' in text
    assert "no disk" in text


def test_what_is_accepted_or_was_told_before_is_no_news() -> None:
    assert told(NIGHT, {}, ["software"]) == [ALERT]
    assert told(NIGHT, {"a1": "on purpose"}, ["software"]) == []
    assert told(NIGHT, {}, ["machine"]) == []
    known = _text(render(NIGHT, {"a1": "on purpose"}))
    assert known.startswith("no new alerts; 1 accepted, 1 failed; 3 rounds")
    assert "accepted, on purpose: lenet" in known
    assert "--because" not in known
    later = Night("n3", NIGHT.scenarios, rounds=3)
    assert headline(later, {}, ["software"]).startswith("no new alerts; ")
    assert "(told on n2)" in _text(render(later, {}))


def test_nights_are_listed_newest_first() -> None:
    text = _text(table([NIGHT, Night("n3", [], failure="no network")], {}))
    assert text.index("n3") < text.index("n2")
    assert "the night could not run: no network" in text
