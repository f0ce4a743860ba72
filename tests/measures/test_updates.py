from __future__ import annotations

from collections.abc import Callable

from harness.measures.updates import Updates
from harness.planning.plan import Plan
from harness.vocabulary.events import Misapplied

ORACLE = "title: q\nworkload: {training: oracle, steps: 20}\ntopology: {kvstore: dist_sync, workers: 2}\n"


def test_the_first_ones_are_named_with_key_worker_and_step(plan_of: Callable[..., Plan]) -> None:
    measure = Updates(plan_of(ORACLE).arms[0])
    assert [quantity.value for quantity in measure.quantities()] == [0]
    measure.add(Misapplied(2.0, "main", "worker/1", 9, "large", "worker/0", "9", 8.0))
    measure.add(Misapplied(3.0, "main", "worker/0", 7, "small", "worker/1", "7", 14.0))
    (quantity,) = measure.quantities()
    assert quantity.value == 2
    assert quantity.note == (
        "worker/0 after step 7 in small: 14 updates of worker/1, not 7; "
        "worker/1 after step 9 in large: 8 updates of worker/0, not 9"
    )


def test_other_models_have_no_such_count(plan_of: Callable[..., Plan]) -> None:
    assert list(Updates(plan_of().arms[0]).quantities()) == []
