from __future__ import annotations

from collections.abc import Callable

from harness.measures.duration import Duration
from harness.planning.plan import Plan
from harness.vocabulary.events import Done, Started


def test_from_the_first_credit_to_the_last_worker(plan_of: Callable[..., Plan]) -> None:
    measure = Duration(plan_of().arms[0])
    measure.add(Started(10.0, "main", ""))
    measure.add(Done(15.0, "main", "worker/1", 100))
    (missing,) = measure.quantities()
    assert (missing.value, missing.note) == (None, "not all workers trained to the end")
    measure.add(Done(12.0, "main", "worker/0", 100))
    (quantity,) = measure.quantities()
    assert (quantity.name, quantity.unit, quantity.value) == ("training_time", "s", 5.0)
