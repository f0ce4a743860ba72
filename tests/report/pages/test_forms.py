"""What other tools read is read by them."""

from __future__ import annotations

import re
from dataclasses import replace

import junitparser
from prometheus_client.parser import text_string_to_metric_families

from harness.report.pages import junit, markdown, prometheus
from tests.report.pages.conftest import EVIL, Example


def test_markdown_escapes_what_is_not_its_own(example: Example) -> None:
    text = markdown.of_run(example.verdict)
    assert text.startswith("### ⚠️ invalid: Why \\<script\\>")
    assert "<script>" not in text
    tables = [line for line in text.splitlines() if line.startswith("|")]
    columns = [len(re.findall(r"(?<!\\)\|", line)) for line in tables]
    assert set(columns) <= {3, 5}, "no cell has a bar of its own"
    assert "run `20261123T122110-why-488953`" in text


def test_junit_has_a_case_for_each_check_and_receipt(example: Example) -> None:
    (suite,) = junitparser.JUnitXml.fromstring(junit.of_runs([("why", example.verdict)]).encode())
    assert suite.name == f"Why {EVIL}?"
    found = {case.name: [type(result).__name__ for result in case.result] for case in suite}
    assert found == {"main: outcome": ["Failure"], "main: receipt 0 of kill worker/1": ["Error"]}
    alone = replace(example.verdict, arms=[])
    (suite,) = junitparser.JUnitXml.fromstring(junit.of_runs([("why", alone)]).encode())
    found = {case.name: [type(result).__name__ for result in case.result] for case in suite}
    assert found == {"main: outcome": ["Failure"], "run: verdict": ["Error"]}
    passed = replace(alone, verdict="pass", checks=[replace(alone.checks[0], verdict="pass")])
    (suite,) = junitparser.JUnitXml.fromstring(junit.of_runs([("why", passed)]).encode())
    assert {case.name: case.result for case in suite} == {"main: outcome": []}


def test_junit_takes_characters_that_xml_has_not(example: Example) -> None:
    checks = [replace(example.verdict.checks[0], reason="a\x00b\x1b[1m\nc", arm="x\x01")]
    odd = replace(example.verdict, checks=checks, title="t\x01", arms=[])
    (suite,) = junitparser.JUnitXml.fromstring(junit.of_runs([("s\x01", odd)]).encode())
    case, _ = suite
    assert (suite.name, case.name, case.classname) == ("t�", "x�: outcome", "s�")
    assert case.result[0].message.startswith("a�b�[1m")


def test_prometheus_has_a_series_for_each_number(example: Example) -> None:
    earlier = replace(example.verdict, arms=[replace(example.verdict.arms[0], arm="gone")])
    families = text_string_to_metric_families(prometheus.of_runs([(EVIL, earlier), (EVIL, example.verdict)]))
    samples = {
        (each.name, each.labels.get("verdict", each.labels.get("subject"))): each
        for family in families
        for each in family.samples
    }
    assert [name for name, _ in samples if name == "harness_verdict"] == ["harness_verdict"] * 4
    assert samples["harness_verdict", "invalid"].value == 1.0
    assert samples["harness_verdict", "pass"].value == 0.0
    assert {each.labels["arm"] for each in samples.values() if "arm" in each.labels} == {"main"}
    found = samples["harness_goodput", ""]
    assert found.labels == {"scenario": EVIL, "arm": "main", "subject": ""}
    assert found.value == example.verdict.arms[0].get("goodput").value
