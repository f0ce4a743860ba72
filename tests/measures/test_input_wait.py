from __future__ import annotations

from collections.abc import Callable

from harness.measures.input_wait import InputWait
from harness.planning.plan import Plan
from harness.vocabulary.events import Samples

SINGLE = "title: q\nworkload: {model: mlp, steps: 200, warmup: 10}\n"


def test_after_the_warm_up(plan_of: Callable[..., Plan]) -> None:
    measure = InputWait(plan_of(SINGLE).arms[0])
    measure.add(Samples(0.0, "main", "worker/0", 0, [32] * 10, [9.0] * 10))
    measure.add(Samples(1.0, "main", "worker/0", 10, [32] * 10, [0.1] * 10))
    (wait,) = measure.quantities()
    assert (wait.value, wait.unit, wait.subject, wait.n) == (0.1, "s", "worker/0", 10)


def test_where_nothing_was_fetched_it_says_so(plan_of: Callable[..., Plan]) -> None:
    measure = InputWait(plan_of(SINGLE).arms[0])
    measure.add(Samples(0.0, "main", "worker/0", 10, [32], [0.0]))
    (wait,) = measure.quantities()
    assert (wait.value, wait.note) == (None, "no gluon DataLoader and no DataIter was seen")
