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


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("variants", {}, "one arm has nobody to take turns with; give variants"),
        ("faults", [{"kill": {"select": {"role": "worker"}, "at": {"step": 5}}}], "faults of one arm would meet"),
        ("workload.checkpoint", {"every": 10}, "checkpoints are written between turns"),
        ("workload.steps", 52, "steps and warmup need to be multiples of 5"),
        ("variants", {"a": {}, "b": {"workload.steps": 60}}, "every variant needs as many steps"),
        ("turns", 0, "1 or more is needed"),
    ],
)
def test_what_cannot_take_turns_is_refused(
    plan_of: Callable[..., Plan], field: str, value: object, message: str
) -> None:
    with pytest.raises(ScenarioError, match=message):
        plan_of(TEXT, (field, value))


@pytest.mark.parametrize(
    ("changes", "restless"),
    [
        ({}, False),
        ({"workload.input": {"by": "data_loader", "workers": 2}, "workload.model": "lenet"}, True),
        ({"target.env.OMP_NUM_THREADS": "2"}, True),
        ({"turns": None, "target.env.OMP_NUM_THREADS": "2"}, False),
    ],
)
def test_what_computes_while_it_waits_is_known(
    plan_of: Callable[..., Plan], changes: dict[str, object], restless: bool
) -> None:
    change = {"variants": {"a": {}, "b": {}}, **changes}
    assert [arm.restless for arm in plan_of(TEXT, *change.items()).arms] == [restless] * 2


def test_processes_of_all_sides_are_placed_alike(plan_of: Callable[..., Plan]) -> None:
    topology = ("topology", {"kvstore": "dist_sync", "workers": 2, "servers": 1})
    first, other = plan_of(TEXT, topology, ("variants.b", {"target.env.OMP_NUM_THREADS": "2"})).arms
    assert sorted(first.shares) == ["server/0", "worker/0", "worker/1"]
    assert {(share.of, share.threads) for share in first.shares.values()} == {(3, 2)}
    assert first.shares == other.shares
    assert (first.restless, other.restless) == (True, True)
    alone = plan_of(TEXT, topology, ("variants", {"a": {}, "b": {}})).arms[0]
    assert {share.threads for share in alone.shares.values()} == {1}
    assert plan_of(TEXT, topology, ("turns", None)).arms[0].shares == {}
