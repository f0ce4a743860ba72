"""What a plan looks like."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from rich.console import Console

from harness.planning.plan import Plan
from harness.report import plan as report

TEXT = "title: t\nturns: 5\nworkload: {model: mlp, steps: 50, warmup: 10}\nvariants: {a: {}, b: {}}\n"


def shown(plan: Plan) -> str:
    console = Console(width=200)
    with console.capture() as capture:
        console.print(report.render(plan))
    return capture.get()


def test_faults_have_their_fields_and_checks_their_limits(plan_of: Callable[..., Plan]) -> None:
    asked = """\
title: t
workload: {model: mlp, steps: 90, warmup: 10}
topology: {kvstore: dist_sync, workers: 2}
faults:
  - slow: {select: {role: worker, rank: 1}, at: {step: 20}, for: {steps: 5}, factor: 2}
expect: {throughput: {versus: control, at_least: 50%}, outcome: completed}
"""
    told = shown(plan_of(asked))
    assert "slow (factor 2.0, tolerance 10%) worker/1 before step 20" in told
    assert "expect throughput: at_least 50%, versus control" in told
    assert "expect outcome: is completed" in told


def test_a_histogram_is_of_all_steps(plan_of: Callable[..., Plan]) -> None:
    shapes = {"distribution": "ramp", "first": 8, "last": 16, "over": 2}
    lines = shown(
        plan_of(TEXT, ("workload", {"model": "lstm", "steps": 25, "window": 5, "warmup": 0, "shapes": shapes}))
    )
    assert [line.split()[-1] for line in lines.splitlines() if "█" in line] == ["52%", "48%"] * 2  # of both arms


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (("title", "t"), "arms live at once and take turns of 5 steps, in an order drawn from the seed"),
        (
            ("workload.batch_size", {"distribution": "choice", "values": [8, 64]}),
            "mlp on digits, size 8, batches of 8 to 64, ",
        ),
        (
            ("workload", {"model": "resnet18", "steps": 50, "widths": {"distribution": "fixed", "value": 16}}),
            "resnet18 on digits, height 8, width 16, ",
        ),
    ],
)
def test_it_says_how_arms_share_the_time_and_how_large_batches_are(
    plan_of: Callable[..., Plan], change: tuple[str, object], words: str
) -> None:
    assert words in shown(plan_of(TEXT, change))
