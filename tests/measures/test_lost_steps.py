from __future__ import annotations

from collections.abc import Callable

from harness.measures.lost_steps import LostSteps
from harness.planning.plan import Plan
from harness.vocabulary.events import Resumed, Window

SINGLE = "title: q\nworkload: {model: mlp, steps: 200, warmup: 10, checkpoint: {every: 50}}\n"
W = "worker/0"


def test_those_beyond_the_checkpoint_are_lost(plan_of: Callable[..., Plan]) -> None:
    measure = LostSteps(plan_of(SINGLE).arms[0])
    for first in range(0, 80, 10):
        measure.add(Window(1.0, "main", W, first, 10, 1.0))
    measure.add(Resumed(20.0, "main", W, 50, []))
    (lost,) = measure.quantities()
    assert (lost.value, lost.unit, lost.n) == (30, "steps", 1)


def test_without_checkpoints_nothing_can_be_resumed(plan_of: Callable[..., Plan]) -> None:
    assert list(LostSteps(plan_of().arms[0]).quantities()) == []
