from __future__ import annotations

from harness.execution.non_finite import NonFiniteValues
from harness.vocabulary.events import Gradients, Loss, NotFinite

GRADIENT = Gradients(1.0, "main", "worker/1", 10, ["a", "b"], [[1.0, 1.0], [1.0, None]])
LOSS = Loss(1.0, "main", "worker/0", 10, [0.5, None])


def test_of_one_step_the_gradient_comes_before_the_loss() -> None:
    values = NonFiniteValues()
    assert values.add(LOSS) is True
    assert values.add(GRADIENT) is False
    assert (values.first_step, values.role) == (11, "worker/1")
    assert str(values) == "the gradient of b of worker/1 is not finite at step 11"


def test_a_gradient_alone_does_no_harm() -> None:
    values = NonFiniteValues()
    values.add(GRADIENT)
    assert not values.harmful
    values.add(NotFinite(2.0, "main", "worker/0", 20, "b"))
    assert values.harmful
    assert str(values).endswith("; later the parameter b of worker/0")


def test_what_is_finite_counts_for_nothing() -> None:
    values = NonFiniteValues()
    assert values.add(Loss(1.0, "main", "worker/0", 0, [0.5])) is False
    assert not values.harmful
