from __future__ import annotations

from collections.abc import Callable

from harness.measures.overflows import Overflows
from harness.planning.plan import Arm, Plan
from harness.scenario.schema import Amp
from harness.vocabulary.events import Overflowed, Ready


def _arm(plan: Plan, amp: Amp | None) -> Arm:
    arm = plan.arms[0]
    return arm.model_copy(update={"workload": arm.workload.model_copy(update={"amp": amp})})


def test_steps_without_an_update_are_counted_for_each_worker(plan_of: Callable[..., Plan]) -> None:
    measure = Overflows(_arm(plan_of(), Amp(dtype="bfloat16", loss_scaling=True)))
    for role in ("worker/0", "worker/1"):
        measure.add(Ready(1.0, "main", role, 0, 0, ""))
    for step, scale in ((7, 65536.0), (9, 32768.0)):
        measure.add(Overflowed(2.0, "main", "worker/1", step, scale))
    none, two = measure.quantities()
    assert (none.subject, none.value, none.note) == ("worker/0", 0, "")
    assert (two.subject, two.value, two.note) == ("worker/1", 2, "last at step 9, at a loss scale of 32768")


def test_nothing_is_said_where_no_loss_is_scaled(plan_of: Callable[..., Plan]) -> None:
    for amp in (None, Amp(dtype="bfloat16")):
        measure = Overflows(_arm(plan_of(), amp))
        measure.add(Ready(1.0, "main", "worker/0", 0, 0, ""))
        assert list(measure.quantities()) == []
