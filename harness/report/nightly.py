"""A night as text and as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from statistics import median
from typing import Any

from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from harness.base.printable import printable
from harness.studies.nights import Answer, Measured, Night, is_good

STYLES = {
    "good": "green",
    "accepted": "green",
    "alert": "bold red",
    "undecided": "yellow",
    "failed": "bold red",
    "removed": "dim",
}
_WORDS = {"software": "bold red", "machine": "yellow", "noise": "dim", "not decided": "yellow"}


def told(night: Night, accepted: Mapping[str, str], words: Sequence[str]) -> list[Answer]:
    """What is news: of a kind that alerts, not accepted, and first seen on this night."""
    return [
        answer
        for each in night.scenarios
        for answer in each.answers
        if answer.word in words and answer.id not in accepted and answer.since == night.id
    ]


def state_of(each: Measured, accepted: Mapping[str, str]) -> str:
    """Its state, for people: an alert that was accepted is none any more."""
    return "accepted" if each.state == "alert" and is_good(each, accepted) else each.state


def headline(night: Night, accepted: Mapping[str, str], words: Sequence[str]) -> str:
    """The night in a line."""
    if night.failure:
        return f"the night could not run: {night.failure}"
    news = told(night, accepted, words)
    states = [state_of(each, accepted) for each in night.scenarios]
    counts = ", ".join(f"{states.count(state)} {state}" for state in STYLES if state in states)
    return f"{len(news) or 'no'} new alert{'' if len(news) == 1 else 's'}; {counts}; {night.rounds} rounds"


def render(night: Night, accepted: Mapping[str, str], words: Sequence[str] = ("software",)) -> RenderableType:
    """The line, each scenario, and what was suspected with what it came to."""
    head = Text(printable(headline(night, accepted, words)), _style(night, accepted, words))
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for column in ("scenario", "state", "because"):
        table.add_column(column, overflow="fold", no_wrap=column == "state")
    for each in night.scenarios:
        state = state_of(each, accepted)
        table.add_row(each.key, Text(state, STYLES[state]), Text(printable(why(each))))
    return Group(head, *([table] if night.scenarios else []), *_answers(night, accepted))


def _style(night: Night, accepted: Mapping[str, str], words: Sequence[str]) -> str:
    """Green only where nothing is open."""
    if night.failure or told(night, accepted, words):
        return "bold red"
    return "bold yellow" if any(state_of(each, accepted) == "undecided" for each in night.scenarios) else "bold green"


def why(each: Measured) -> str:
    if each.note:
        return each.note
    seconds = [numbers["seconds_per_sample"] for numbers in each.numbers.values() if "seconds_per_sample" in numbers]
    speed = f"{1 / median(seconds[0]):.4g} samples/s, {len(seconds[0])} rounds" if seconds and seconds[0] else ""
    return "; ".join(filter(None, [speed, "the first night" if not each.reference else ""]))


def _answers(night: Night, accepted: Mapping[str, str]) -> Iterator[Text]:
    for answer in (answer for each in night.scenarios for answer in each.answers):
        because = accepted.get(answer.id)
        word = f"accepted, {because}" if because else answer.word
        since = "" if answer.since == night.id else f" (told on {answer.since})"
        head = (f"{word}: ", "dim" if because else _WORDS[answer.word])
        yield Text.assemble(
            head, printable(f"{answer.scenario} {answer.arm}, {words_of(answer)}{since}, id {answer.id}")
        )
        yield Text(f"  {printable(answer.text)}")
        if answer.cause:
            yield Text(f"  because of: {printable(answer.cause)}")
        for line in answer.shown:
            yield Text(f"    {printable(line)}")
        if answer.word == "software" and not because:
            yield Text(f"  if that is as it should be: {to_accept(answer)}", "dim")


def to_accept(answer: Answer) -> str:
    """The command that does."""
    return f'harness nightly accept {answer.id} --because "WHY"'


def words_of(answer: Answer) -> str:
    return answer.measure.replace("_", " ")


def table(nights: Sequence[Night], accepted: Mapping[str, str]) -> RenderableType:
    """Nights, newest first: when, what they came to, and what was told."""
    shown = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for column in ("night", "rounds", "came to"):
        shown.add_column(column, overflow="fold")
    for night in reversed(nights):
        shown.add_row(night.id, str(night.rounds), Text(printable(headline(night, accepted, ("software",)))))
    return shown


def as_json(night: Night, accepted: Mapping[str, str], words: Sequence[str]) -> dict[str, Any]:
    """For scripts, and for who is notified."""
    news = [answer.id for answer in told(night, accepted, words)]
    return {
        **night.as_json(),
        "schema": "harness/nightly/1",
        "commit": night.commit,
        "headline": headline(night, accepted, words),
        "alerts": news,
        "accepted": dict(accepted),
    }
