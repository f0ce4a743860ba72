"""A scenario of tonight beside what it was."""

from __future__ import annotations

import yaml

from tests.studies.test_nightly import _watched


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
