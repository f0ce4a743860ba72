"""Accuracy on samples that were held back."""

from __future__ import annotations

from collections.abc import Callable

from harness.measures.accuracy import Accuracy
from harness.planning.plan import Plan
from harness.vocabulary.events import Examined

TEXT = "title: t\nworkload: {model: mlp, steps: 50, held_back: 200}\n"


def test_the_share_of_samples_that_are_known(plan_of: Callable[..., Plan]) -> None:
    measure = Accuracy(plan_of(TEXT).arms[0])
    (early,) = measure.quantities()
    assert (early.value, early.note) == (None, "not all workers trained to the end")
    measure.add(Examined(1.0, "main", "worker/0", 50, 150, 200))
    (found,) = measure.quantities()
    assert (found.value, found.n, found.unit) == (0.75, 200, "fraction")


def test_nothing_is_measured_where_nothing_is_held_back(plan_of: Callable[..., Plan]) -> None:
    (found,) = Accuracy(plan_of().arms[0]).quantities()
    assert (found.value, found.note) == (None, "nothing is held back without workload.held_back")
