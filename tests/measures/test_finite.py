from __future__ import annotations

from collections.abc import Callable

from harness.measures.finite import Finite
from harness.planning.plan import Plan
from harness.vocabulary.events import Done, Gradients, NotFinite


def test_parameters_are_counted_once_and_the_first_gradient_is_named(plan_of: Callable[..., Plan]) -> None:
    measure = Finite(plan_of().arms[0])
    measure.add(Gradients(1.0, "main", "worker/1", 10, ["a", "b"], [[1.0, 2.0], [1.0, None]]))
    measure.add(Gradients(2.0, "main", "worker/1", 12, ["a", "b"], [[None, None]]))
    for name in ("a", "b", "b"):
        measure.add(NotFinite(3.0, "main", "worker/1", 20, name))
    measure.add(Done(3.0, "main", "worker/0", 20))
    measure.add(Done(3.0, "main", "worker/1", 20))
    (quantity,) = measure.quantities()
    assert (quantity.subject, quantity.value) == ("worker/1", 2)
    assert quantity.note == "first the gradient of b at step 11"


def test_of_a_worker_that_was_ended_before_its_end_it_is_the_least(plan_of: Callable[..., Plan]) -> None:
    measure = Finite(plan_of().arms[0])
    measure.add(NotFinite(3.0, "main", "worker/0", 20, "a"))
    (quantity,) = measure.quantities()
    assert (quantity.value, quantity.note) == (1, "at least: it was ended before all were looked at")
