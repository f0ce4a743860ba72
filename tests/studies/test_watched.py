"""A scenario of tonight beside what it was."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
import yaml

from harness.studies.nights import Answer
from harness.studies.watched import Step
from tests.studies.test_nightly import STEPS, VALUES, _reference, _watched


def test_sides_are_then_and_now_and_what_was_added_can_be_left_out() -> None:
    watched = _watched(changed=True)
    whole, half = watched.sides("main", 2, 5), watched.sides("main", 1, 5)
    assert whole.values["target"]["env"] == {}
    assert whole.values["seed"] == 5
    then, now = whole.sides
    assert (then.fields, now.fields) == ({"workload.batch_size": 8}, {"target.env.NEW": "1"})
    assert half.sides[1].fields == {"target.env.NEW": "1", "workload.batch_size": 8}


def test_one_arm_alone_can_be_as_it_was() -> None:
    then = yaml.safe_load(_watched(changed=True).scenario("main", 0))
    assert (then["workload"]["batch_size"], then["target"]["env"], then["control"]) == (8, {}, False)
    now = yaml.safe_load(_watched(changed=True).scenario("main", 2))
    assert (now["workload"]["batch_size"], now["target"]["env"]) == (16, {"NEW": "1"})


def test_the_control_is_the_job_without_its_faults() -> None:
    watched = _watched(changed=True, values={**VALUES, "faults": [{"kill": {"at": {"step": 5}}}]})
    then = yaml.safe_load(watched.scenario("control", 0))
    assert ("faults" in then, then["workload"]["batch_size"], then["control"]) == (False, 8, False)
    assert yaml.safe_load(watched.scenario("main", 0))["faults"] == watched.values["faults"]
    assert watched.steps_of("control") == STEPS


@pytest.mark.parametrize(
    ("steps", "variants", "possible"),
    [
        ({"a": STEPS, "b": STEPS}, {"a": {}, "b": {"topology.workers": 2}}, True),
        ({"a": STEPS, "b": STEPS[:1]}, {"a": {}, "b": {}}, False),
        ({"a": STEPS, "b": STEPS}, {"a": {}, "b": {"workload.batch_size": 2}}, False),  # it would stay as it is
        ({"a": [], "b": []}, {"a": {}, "b": {}}, False),
    ],
)
def test_a_whole_scenario_can_be_as_it_was_where_all_arms_changed_alike(
    steps: Any, variants: Any, possible: bool
) -> None:
    watched = _watched(changed=True, values={**VALUES, "variants": variants}, steps=steps)
    assert (watched.hindrance("") == "") == possible


def test_an_alert_of_one_arm_keeps_no_other_from_being_looked_at() -> None:
    values = {**VALUES, "variants": {"a": {}, "b": {"workload.warmup": 8}}}
    watched = _watched(changed=True, values=values, steps={"a": STEPS, "b": STEPS})
    answers = [Answer("id", "mlp", arm, "throughput", word, "") for arm, word in (("a", "software"), ("b", "noise"))]
    last = _reference(tracked=watched.tracked, state="alert", answers=answers)
    again = replace(watched, past=replace(watched.past, last=last))
    assert [again.can_be_looked_at(arm) for arm in "ab"] == [False, True]
    assert again.told == {("a", "throughput")}


def test_what_hinders_may_pass() -> None:
    steps = [Step("packages", {}, "no network", may_pass=True)]
    assert _watched(changed=True, steps={"main": steps}).may_pass("main")
    assert not _watched(changed=True, steps={"main": [Step("steps", {}, "cannot differ")]}).may_pass("main")
