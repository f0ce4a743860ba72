"""How far a control goes that nobody compares with."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from harness.execution.reached import Reached
from harness.planning.plan import Plan
from harness.vocabulary.events import Done, Ended, Event, Progress, Window
from tests.conftest import SCENARIO

KILL = {"kill": {"select": {"role": "worker", "rank": 1}, "at": {"step": 50}}}
AT = ("main", "worker/0")
HUNG = Ended(2.0, "main", "", "hung", "")


def _limit(plan: Plan, *past: Event) -> int | None:
    reached = Reached()
    for event in past:
        reached.add(event)
    return reached.limit(plan.arms[-1])


@pytest.mark.parametrize(
    ("past", "limit"),
    [
        ([Window(1.0, *AT, 20, 10, 0.1), HUNG], 90),
        ([Progress(1.0, "main", "worker/1", 35), Window(1.0, *AT, 20, 10, 0.1), HUNG], 95),
        ([Window(1.0, *AT, 30, 10, 0.1), HUNG], None),  # 100 steps are all that there are
        ([Ended(2.0, "main", "", "refused", "")], 80),  # 20 of warm-up and 6 windows of 10
        ([Done(1.0, *AT, 100), Ended(2.0, "main", "", "completed", "")], None),
        ([Window(1.0, *AT, 80, 10, 0.1)], None),
    ],
)
def test_as_far_as_the_job_came_unless_that_trained_to_its_end(
    plan_of: Callable[..., Plan], past: list[Event], limit: int | None
) -> None:
    assert _limit(plan_of(SCENARIO, ("faults", [KILL])), *past) == limit


def test_a_control_that_a_check_names_trains_to_its_end(plan_of: Callable[..., Plan]) -> None:
    plan = plan_of(SCENARIO, ("faults", [KILL]), ("expect", {"drift": {"versus": "control", "at_most": "1%"}}))
    reached = Reached()
    reached.add(HUNG)
    assert reached.limit(plan.arm("control")) is None


def test_of_repeats_each_control_trains_to_its_end(plan_of: Callable[..., Plan]) -> None:
    plan = plan_of(SCENARIO, ("faults", [KILL]), ("repeat", 2))
    assert {arm.as_far_as for arm in plan.arms} == {None}
