"""A night in the forms that CI systems and monitors read."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from statistics import median

from junitparser import Failure, JUnitXml, Skipped, TestCase, TestSuite
from prometheus_client import CollectorRegistry, Gauge, generate_latest

from harness.base.printable import printable
from harness.report.nightly import STYLES, headline, state_of, to_accept, told, why, words_of
from harness.report.pages.markdown import plain, table
from harness.studies.nights import Night


def as_markdown(night: Night, accepted: Mapping[str, str], words: Sequence[str] = ("software",)) -> str:
    """For a pull request or a step summary."""
    rows = [(each.key, state_of(each, accepted), why(each)) for each in night.scenarios]
    found = [
        (answer.id, answer.word, f"{answer.scenario} {answer.arm}", words_of(answer), answer.text, answer.cause)
        for each in night.scenarios
        for answer in each.answers
    ]
    lines = [f"### {plain(headline(night, accepted, words))}", ""]
    lines += table(("scenario", "state", "because"), rows)
    lines += table(("id", "it is", "of", "measure", "why that is said", "because of"), found)
    for answer in told(night, accepted, words):
        shown = [*answer.shown, f"if that is as it should be: {to_accept(answer)}"]
        lines += [f"`{answer.id}`:", "", *(f"    {printable(line)}" for line in shown), ""]
    return "\n".join([*lines, f"night `{night.id}`"]) + "\n"


def as_junit(night: Night, accepted: Mapping[str, str], words: Sequence[str] = ("software",)) -> str:
    """A case a scenario: a failure where there is news, or nothing could be measured; skipped where undecided."""
    whole, suite = JUnitXml("harness nightly"), TestSuite(f"night {night.id}")
    news = told(night, accepted, words)
    for each in night.scenarios:
        case = TestCase(printable(each.key), "nightly")
        mine = [answer for answer in news if answer.scenario == each.key]
        if mine or each.state == "failed":
            text = "; ".join(f"{words_of(one)}: {one.text}; {one.cause}" for one in mine) or each.note
            failure = Failure(printable(text), each.state)
            failure.text = "\n".join(printable(line) for one in mine for line in (*one.shown, to_accept(one)))
            case.result = [failure]
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
            states.labels(each.key, state).set(float(state_of(each, accepted) == state))
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
            "check_name": f"harness nightly: {words_of(answer)}",
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
        ("error", f"{one.scenario}: {words_of(one)}", f"{one.text}; {one.cause}")
        for one in told(night, accepted, words)
    ]
    lines += [("error", "nightly", night.failure)] if night.failure else []
    return [f"::{kind} title={_escaped(title, ',:')}::{_escaped(text)}" for kind, title, text in lines]


def _escaped(text: str, more: str = "") -> str:
    for sign in f"%\r\n{more}":
        text = text.replace(sign, f"%{ord(sign):02X}")
    return text
