"""A night as text, and in the forms that CI systems and monitors read."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from statistics import median
from typing import Any

from junitparser import Failure, JUnitXml, Skipped, TestCase, TestSuite
from prometheus_client import CollectorRegistry, Gauge, generate_latest
from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from harness.base.printable import printable
from harness.report.pages import markdown
from harness.studies.nights import Answer, Measured, Night

STYLES = {"good": "green", "alert": "bold red", "undecided": "yellow", "failed": "bold red"}
_WORDS = {"software": "bold red", "machine": "yellow", "noise": "dim", "not decided": "yellow"}


def told(night: Night, accepted: Mapping[str, str], words: Sequence[str]) -> list[Answer]:
    """What is news: of a kind that alerts, not accepted, and first seen on this night."""
    return [
        answer
        for each in night.scenarios
        for answer in each.answers
        if answer.word in words and answer.id not in accepted and answer.since == night.id
    ]


def headline(night: Night, accepted: Mapping[str, str], words: Sequence[str]) -> str:
    """The night in a line."""
    if night.failure:
        return f"the night could not run: {night.failure}"
    news = told(night, accepted, words)
    states = [each.state for each in night.scenarios]
    counts = ", ".join(f"{states.count(state)} {state}" for state in STYLES if state in states)
    return f"{len(news) or 'no'} new alert{'' if len(news) == 1 else 's'}; {counts}; {night.rounds} rounds"


def render(night: Night, accepted: Mapping[str, str], words: Sequence[str] = ("software",)) -> RenderableType:
    """The line, each scenario, and what was suspected with what it came to."""
    style = "bold red" if night.failure or told(night, accepted, words) else "bold green"
    head = Text(printable(headline(night, accepted, words)), style)
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for column in ("scenario", "state", "because"):
        table.add_column(column, overflow="fold", no_wrap=column == "state")
    for each in night.scenarios:
        table.add_row(each.key, Text(each.state, STYLES[each.state]), Text(printable(_why(each))))
    return Group(head, *([table] if night.scenarios else []), *_answers(night, accepted))


def _why(each: Measured) -> str:
    if each.note:
        return each.note
    seconds = [numbers["seconds_per_sample"] for numbers in each.numbers.values() if "seconds_per_sample" in numbers]
    speed = f"{1 / median(seconds[0]):.4g} samples/s, {len(seconds[0])} rounds" if seconds and seconds[0] else ""
    return "; ".join(filter(None, [speed, "the first night" if not each.reference else ""]))


def _answers(night: Night, accepted: Mapping[str, str]) -> Iterator[Text]:
    for answer in (answer for each in night.scenarios for answer in each.answers):
        why = accepted.get(answer.id)
        word = f"accepted, {why}" if why else answer.word
        since = "" if answer.since == night.id else f" (told on {answer.since})"
        head = (f"{word}: ", "dim" if why else _WORDS[answer.word])
        yield Text.assemble(head, printable(f"{answer.scenario} {answer.arm}, {_words(answer)}{since}, id {answer.id}"))
        yield Text(f"  {printable(answer.text)}")
        if answer.cause:
            yield Text(f"  because of: {printable(answer.cause)}")


def _words(answer: Answer) -> str:
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


def as_markdown(night: Night, accepted: Mapping[str, str], words: Sequence[str] = ("software",)) -> str:
    """For a pull request or a step summary."""
    rows = [(each.key, each.state, _why(each)) for each in night.scenarios]
    found = [
        (answer.id, answer.word, f"{answer.scenario} {answer.arm}", _words(answer), answer.text, answer.cause)
        for each in night.scenarios
        for answer in each.answers
    ]
    lines = [f"### {markdown.plain(headline(night, accepted, words))}", ""]
    lines += markdown.table(("scenario", "state", "because"), rows)
    lines += markdown.table(("id", "it is", "of", "measure", "why that is said", "because of"), found)
    return "\n".join([*lines, f"night `{night.id}`"]) + "\n"


def as_junit(night: Night, accepted: Mapping[str, str], words: Sequence[str] = ("software",)) -> str:
    """A case a scenario: a failure where there is news, or nothing could be measured; skipped where undecided."""
    whole, suite = JUnitXml("harness nightly"), TestSuite(f"night {night.id}")
    news = told(night, accepted, words)
    for each in night.scenarios:
        case = TestCase(printable(each.key), "nightly")
        mine = [answer for answer in news if answer.scenario == each.key]
        if mine or each.state == "failed":
            text = "; ".join(f"{_words(one)}: {one.text}; {one.cause}" for one in mine) or each.note
            case.result = [Failure(printable(text), each.state)]
        elif each.state == "undecided":
            case.result = [Skipped(printable(each.note), each.state)]
        suite.add_testcase(case)
    if night.failure:
        case = TestCase("night", "nightly")
        case.result = [Failure(printable(night.failure), "failed")]
        suite.add_testcase(case)
    whole.add_testsuite(suite)
    return str(whole.tostring().decode("utf-8"))  # type: ignore[no-untyped-call]


def as_prometheus(night: Night, accepted: Mapping[str, str], words: Sequence[str] = ("software",)) -> str:
    """Each number's median, each scenario's state, and how many alerts are new."""
    registry = CollectorRegistry()
    Gauge("harness_nightly_alerts", "alerts that are new on this night", registry=registry).set(
        len(told(night, accepted, words))
    )
    Gauge("harness_nightly_ran", "1 where the night could run", registry=registry).set(float(not night.failure))
    states = Gauge("harness_nightly_state", "1 for a scenario's state", ("scenario", "state"), registry=registry)
    labels = ("scenario", "arm", "quantity")
    values = Gauge("harness_nightly_value", "median of a night's rounds, in base units", labels, registry=registry)
    for each in night.scenarios:
        for state in STYLES:
            states.labels(each.key, state).set(float(each.state == state))
        for arm, numbers in each.numbers.items():
            for quantity, rounds in numbers.items():
                if rounds:
                    values.labels(each.key, arm, quantity).set(median(rounds))
    return generate_latest(registry).decode("utf-8")


def as_code_quality(night: Night, accepted: Mapping[str, str], words: Sequence[str] = ("software",)) -> str:
    """GitLab's Code Quality report, which it shows beside a merge request."""
    entries = [
        {
            "description": f"{answer.scenario} {answer.arm}: {answer.text}; {answer.cause}",
            "check_name": f"harness nightly: {_words(answer)}",
            "fingerprint": hashlib.sha256(answer.id.encode()).hexdigest(),
            "severity": "major",
            "location": {"path": f"scenarios/{answer.scenario}.yaml", "lines": {"begin": 1}},
        }
        for answer in told(night, accepted, words)
    ]
    return json.dumps(entries, indent=1) + "\n"


def github_commands(night: Night, accepted: Mapping[str, str], words: Sequence[str]) -> list[str]:
    """Lines that a GitHub action shows as annotations."""
    lines = [
        ("error", f"{one.scenario}: {_words(one)}", f"{one.text}; {one.cause}") for one in told(night, accepted, words)
    ]
    lines += [("error", "nightly", night.failure)] if night.failure else []
    return [f"::{kind} title={_escaped(title, ',:')}::{_escaped(text)}" for kind, title, text in lines]


def _escaped(text: str, more: str = "") -> str:
    for sign in f"%\r\n{more}":
        text = text.replace(sign, f"%{ord(sign):02X}")
    return text
