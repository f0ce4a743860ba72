from __future__ import annotations

from collections.abc import Callable

import pytest

from harness.measures.loss import Loss
from harness.planning.plan import Plan
from harness.vocabulary.events import Loss as LossEvent
from harness.vocabulary.quantities import Quantity


def _measured(plan: Plan, *events: LossEvent) -> dict[str, Quantity]:
    measure = Loss(plan.arms[0])
    for event in events:
        measure.add(event)
    return {quantity.name: quantity for quantity in measure.quantities()}


def test_the_curve_is_the_mean_over_workers_and_the_end_its_last_fifth(plan_of: Callable[..., Plan]) -> None:
    first = [float(step) for step in range(100)]
    second = [step + 2.0 for step in range(100)]
    measured = _measured(
        plan_of(), LossEvent(1.0, "main", "worker/0", 0, [*first]), LossEvent(1.0, "main", "worker/1", 0, [*second])
    )
    assert measured["loss_curve"].samples[:3] == (1.0, 2.0, 3.0)
    assert (measured["final_loss"].n, measured["final_loss"].value) == (20, 90.5)


def test_the_end_is_where_the_plan_says(plan_of: Callable[..., Plan]) -> None:
    text = "title: t\nworkload: {model: mlp, steps: 50}\n"
    measured = _measured(plan_of(text), LossEvent(1.0, "main", "worker/0", 0, [1.0] * 50))
    assert (measured["final_loss"].n, measured["final_loss"].value) == (10, 1.0)


def test_no_final_loss_before_the_end(plan_of: Callable[..., Plan]) -> None:
    whole = LossEvent(1.0, "main", "worker/0", 0, [1.0] * 100)
    assert _measured(plan_of(), whole)["final_loss"].value is None  # worker/1 said nothing
    measured = _measured(plan_of(), LossEvent(1.0, "main", "worker/0", 0, [1.0] * 50))
    assert measured["final_loss"].value is None
    assert measured["final_loss"].note == "not all workers trained to the end"
    assert measured["loss_curve"].n == 50


@pytest.mark.parametrize("resumed", range(100, 20_000, 1231))
def test_a_restart_of_a_long_run_keeps_its_end(plan_of: Callable[..., Plan], resumed: int) -> None:
    """Of 20,000 steps, several make one point; whatever step training goes on from, all are there in the end."""
    text = "title: t\nworkload: {model: mlp, steps: 20000}\n"
    before = [LossEvent(1.0, "main", "worker/0", first, [1.0] * 50) for first in range(0, 19_950, 50)]
    again = [LossEvent(1.0, "main", "worker/0", step, [1.0]) for step in range(resumed, 20_000)]
    assert _measured(plan_of(text), *before, *again)["final_loss"].value == 1.0


def test_steps_until_the_mean_of_a_window_is_low_enough(plan_of: Callable[..., Plan]) -> None:
    def reached(target: float, losses: list[float]) -> Quantity:
        text = f"title: t\nworkload: {{model: mlp, steps: 50, window: 5, target_loss: {target}}}\n"
        return _measured(plan_of(text), LossEvent(1.0, "main", "worker/0", 0, losses))["steps_to_loss"]

    falling = [50.0 - step for step in range(50)]
    assert reached(10.0, falling).value == 43  # losses 12 to 8 of steps 38 to 42
    one_low = [9.0] * 20 + [0.0] + [9.0] * 29
    never = reached(5.0, one_low)
    assert (never.value, never.note) == (None, "the mean loss of 5 steps was never at or below 5")
    assert reached(5.0, [float("nan")] * 10 + [1.0] * 40).value == 15


def test_no_steps_are_counted_where_no_loss_is_asked_for(plan_of: Callable[..., Plan]) -> None:
    assert "steps_to_loss" not in _measured(plan_of(), LossEvent(1.0, "main", "worker/0", 0, [1.0] * 100))


def test_steps_whose_losses_were_not_seen_are_left_out_and_said(plan_of: Callable[..., Plan]) -> None:
    text = "title: t\nworkload: {model: mlp, steps: 50, target_loss: 0.5}\n"
    parts = [LossEvent(1.0, "main", "worker/0", first, [1.0] * count) for first, count in ((0, 10), (15, 5), (20, 30))]
    measured = _measured(plan_of(text), *parts)
    curve = measured["loss_curve"]
    assert (curve.n, curve.note) == (45, "losses of 5 steps were not seen, and are left out")
    assert measured["final_loss"].n == 9
    assert (measured["steps_to_loss"].value, measured["steps_to_loss"].note) == (None, curve.note)


def test_workers_whose_points_stand_for_unlike_many_steps_are_added_step_by_step(plan_of: Callable[..., Plan]) -> None:
    """One has more losses than a series keeps, so that each point of it is of two steps."""
    long, short = 4200, 4000
    events = [
        LossEvent(1.0, "main", "worker/0", 0, [float(step) for step in range(long)]),
        LossEvent(1.0, "main", "worker/1", 0, [float(step) for step in range(short)]),
    ]
    curve = _measured(plan_of(), *events)["loss_curve"]
    assert (curve.stride, len(curve.samples)) == (2, short // 2)
    assert curve.samples[:2] == (0.5, 2.5)
    assert curve.samples[-1] == short - 1.5
