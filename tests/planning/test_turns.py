"""Arms that live at once and take turns."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from harness.base.errors import ScenarioError
from harness.planning.plan import Plan

TEXT = """\
title: Which is faster?
turns: 5
workload: {model: mlp, steps: 50, warmup: 10}
variants: {a: {}, b: {workload.batch_size: 64}}
"""


def test_variants_of_one_repeat_keep_each_other_company(plan_of: Callable[..., Plan]) -> None:
    plan = plan_of(TEXT, ("repeat", 2))
    assert [sorted(arm.name for arm in arms) for arms in plan.companies] == [["a", "b"], ["a.2", "b.2"]]
    assert {arm.turn for arm in plan.arms} == {5}


def test_without_turns_every_arm_is_alone(plan_of: Callable[..., Plan]) -> None:
    plan = plan_of(TEXT, ("turns", None), ("repeat", 2))
    assert [len(arms) for arms in plan.companies] == [1, 1, 1, 1]


def test_in_slices_workers_know_how_many_share_the_time(plan_of: Callable[..., Plan]) -> None:
    assert [(arm.slice, arm.workload.sides) for arm in plan_of(TEXT, ("slice", 0.02)).arms] == [(0.02, 2)] * 2
    assert [(arm.slice, arm.workload.sides) for arm in plan_of(TEXT).arms] == [(None, 1)] * 2


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("slice", 0.001, "greater than or equal to 0.002"),
        ("variants", {}, "one arm has nobody to take turns with; give variants"),
        ("faults", [{"kill": {"select": {"role": "worker"}, "at": {"step": 5}}}], "faults of one arm would meet"),
        ("workload.checkpoint", {"every": 10}, "checkpoints are written between turns"),
        ("workload.steps", 52, "steps and warmup need to be multiples of 5"),
        ("variants", {"a": {}, "b": {"workload.steps": 60}}, "every variant needs as many steps"),
        ("turns", 0, "greater than or equal to 1"),
    ],
)
def test_what_cannot_take_turns_is_refused(
    plan_of: Callable[..., Plan], field: str, value: object, message: str
) -> None:
    with pytest.raises(ScenarioError, match=message):
        plan_of(TEXT, (field, value))


def test_slices_are_of_turns_and_have_no_times_of_steps(plan_of: Callable[..., Plan]) -> None:
    with pytest.raises(ScenarioError, match="is of arms that take turns; give turns"):
        plan_of(TEXT, ("slice", 0.02), ("turns", None))
    with pytest.raises(ScenarioError, match="times of steps would have those of others in them"):
        plan_of(TEXT, ("slice", 0.02), ("workload.phases", True))
