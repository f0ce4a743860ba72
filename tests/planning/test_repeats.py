"""Arms that are run again and again."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from harness.base.errors import ScenarioError
from harness.planning.plan import Plan
from tests.conftest import SCENARIO

TWO_ARMS = f"""{SCENARIO}
faults: [{{kill: {{select: {{role: worker, rank: 1}}, at: {{step: 50}}}}}}]
expect: {{drift: {{versus: control, at_most: 1%}}}}
"""


def _names(plan: Plan) -> list[str]:
    return [arm.name for arm in plan.arms]


def test_once_the_baseline_comes_first(plan_of: Callable[..., Plan]) -> None:
    plan = plan_of(TWO_ARMS)
    assert _names(plan) == ["control", "main"]
    assert [(arm.of, arm.repeat) for arm in plan.arms] == [("control", 1), ("main", 1)]


def test_once_a_control_that_no_check_names_comes_last(plan_of: Callable[..., Plan]) -> None:
    plan = plan_of(TWO_ARMS, ("expect", {"outcome": "crashed"}), ("repeat", 2))
    assert _names(plan)[:2] == ["main", "control"]


def test_every_arm_is_there_before_any_comes_again_in_an_order_of_the_seed(plan_of: Callable[..., Plan]) -> None:
    names = _names(plan_of(TWO_ARMS, ("repeat", 5)))
    assert names[:2] == ["control", "main"]
    for repeat in range(2, 6):
        assert set(names[2 * repeat - 2 : 2 * repeat]) == {f"control.{repeat}", f"main.{repeat}"}
    orders = {tuple(_names(plan_of(TWO_ARMS, ("repeat", 5), ("seed", seed)))) for seed in range(8)}
    assert len(orders) > 3
    assert _names(plan_of(TWO_ARMS, ("repeat", 5))) == names


def test_a_repeat_is_the_same_job(plan_of: Callable[..., Plan]) -> None:
    first, again = plan_of(SCENARIO, ("repeat", 2)).arms
    assert again == first.model_copy(update={"name": "main.2", "repeat": 2})


def test_each_seed_is_that_of_all_arms_of_a_repeat(plan_of: Callable[..., Plan]) -> None:
    plan = plan_of(TWO_ARMS, ("seeds", 3))
    assert sorted((arm.repeat, arm.of, arm.workload.seed) for arm in plan.arms) == [
        (1, "control", 7), (1, "main", 7), (2, "control", 8), (2, "main", 8), (3, "control", 9), (3, "main", 9),
    ]  # fmt: skip


def test_seeds_take_turns_where_there_are_more_repeats(plan_of: Callable[..., Plan]) -> None:
    plan = plan_of(SCENARIO, ("repeat", 5), ("seeds", 2))
    assert [arm.workload.seed for arm in plan.arms] == [7, 8, 7, 8, 7]


def test_the_seed_after_the_last_is_the_first(plan_of: Callable[..., Plan]) -> None:
    plan = plan_of(SCENARIO, ("seed", 2**31 - 1), ("seeds", 2))
    assert [arm.workload.seed for arm in plan.arms] == [2**31 - 1, 0]


@pytest.mark.parametrize("value", [0, -1, 1.5, 1001, "many", True])
@pytest.mark.parametrize("field", ["repeat", "seeds"])
def test_bad_numbers(plan_of: Callable[..., Plan], field: str, value: object) -> None:
    with pytest.raises(ScenarioError, match=field):
        plan_of(SCENARIO, (field, value))
