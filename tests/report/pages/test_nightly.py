"""A night in the forms that others read, each read by its own tool."""

from __future__ import annotations

import json
from io import StringIO

from junitparser import JUnitXml
from prometheus_client.parser import text_string_to_metric_families

from harness.report.pages import nightly
from harness.studies.nights import Answer, Measured, Night
from harness.studies.tracked import Tracked

LINES = ("samples/s: 100 on the last good night, 80 tonight", "train.py:3 + sleep(1) # <b>")
ALERT = Answer("a1", "lenet", "main", "throughput", "software", "b is slower | <b>", "the script", "n2", shown=LINES)
NUMBERS = {"main": {"seconds_per_sample": [0.001, 0.002, 0.003]}}
LENET = Measured("lenet", Tracked({}), NUMBERS, {"main": ["completed"]}, "alert", answers=(ALERT,))
LOST = Measured("lost", Tracked({}), {}, {}, "failed", note="no disk")
NIGHT = Night("n2", [LENET, LOST], rounds=3)


def test_junit_has_a_case_for_each_scenario() -> None:
    (suite,) = JUnitXml.fromstring(nightly.as_junit(NIGHT, {}).encode())
    assert [(case.name, [each.message for each in case.result]) for case in suite] == [
        ("lenet", ["throughput: b is slower | <b>; the script"]),
        ("lost", ["no disk"]),
    ]
    (failure,) = next(iter(suite)).result
    assert failure.text.splitlines() == [*LINES, 'harness nightly accept a1 --because "WHY"']
    (accepted,) = JUnitXml.fromstring(nightly.as_junit(Night("n2", [LENET]), {"a1": "yes"}).encode())
    assert [case.result for case in accepted] == [[]]


def test_prometheus_has_medians_states_and_news() -> None:
    text = nightly.as_prometheus(NIGHT, {})
    samples = {
        (sample.name, *(value for _, value in sorted(sample.labels.items()))): sample.value
        for family in text_string_to_metric_families(StringIO(text).read())
        for sample in family.samples
    }
    assert samples["harness_nightly_alerts",] == 1
    assert samples["harness_nightly_ran",] == 1
    assert samples["harness_nightly_state", "lost", "failed"] == 1
    assert samples["harness_nightly_value", "main", "seconds_per_sample", "lenet"] == 0.002


def test_markdown_escapes_what_it_would_take_for_its_own() -> None:
    text = nightly.as_markdown(NIGHT, {})
    assert "### 1 new alert; 1 alert, 1 failed; 3 rounds" in text
    assert r"b is slower \| \<b\>" in text
    assert f"    {LINES[1]}\n" in text
    assert '    if that is as it should be: harness nightly accept a1 --because "WHY"' in text
    assert "| lenet | accepted |" in nightly.as_markdown(NIGHT, {"a1": "yes"})


def test_gitlab_and_github_get_what_is_new() -> None:
    (entry,) = json.loads(nightly.as_code_quality(NIGHT, {}))
    assert (entry["severity"], entry["location"]["path"]) == ("major", "scenarios/lenet.yaml")
    assert json.loads(nightly.as_code_quality(NIGHT, {"a1": "yes"})) == []
    lost = Night("n3", [], failure="no\ndisk")
    assert nightly.github_commands(lost, {}, ["software"]) == ["::error title=nightly::no%0Adisk"]
    assert nightly.github_commands(NIGHT, {}, ["software"]) == [
        "::error title=lenet%3A throughput::b is slower | <b>; the script"
    ]
