from __future__ import annotations

from collections.abc import Callable

import pytest

from harness.measures.phases import Phases
from harness.planning.plan import Plan
from harness.vocabulary.events import Phases as PhasesEvent
from harness.vocabulary.quantities import Quantity

TEXT = """\
title: a question
workload: {model: mlp, steps: 40, warmup: 10, window: 2, phases: true}
topology: {kvstore: dist_sync, workers: 2}
"""
W0, W1 = "worker/0", "worker/1"


def _window(role: str, first: int, compute: float, step: float = 1.0) -> PhasesEvent:
    """Two steps of ``step`` seconds from ``first`` on, of which ``compute`` are spent computing."""
    began = [first * step, (first + 1) * step]
    return PhasesEvent(9.0, "main", role, first, began, [t + compute for t in began], [t + step for t in began])


def _found(measure: Phases) -> dict[tuple[str, str], Quantity]:
    return {(quantity.name, quantity.subject): quantity for quantity in measure.quantities()}


def test_where_the_time_goes_and_who_was_last(plan_of: Callable[..., Plan]) -> None:
    measure = Phases(plan_of(TEXT).arms[0])
    for first in range(10, 40, 2):
        measure.add(_window(W0, first, 0.25))
        measure.add(_window(W1, first, 0.75))
    parts = _found(measure)
    values = {key: quantity.value for key, quantity in parts.items()}
    assert values == pytest.approx(
        {
            ("compute_time", W0): 0.25, ("push_pull_time", W0): 0.75, ("utilisation", W0): 0.25,
            ("wait_time", W0): 0.5, ("was_last", W0): 0.0,
            ("compute_time", W1): 0.75, ("push_pull_time", W1): 0.25, ("utilisation", W1): 0.75,
            ("wait_time", W1): 0.0, ("was_last", W1): 1.0,
        }
    )  # fmt: skip
    assert (parts["utilisation", W0].n, parts["was_last", W1].n) == (15, 30)
    assert list(parts["was_last", W1].samples) == [1.0] * 30


def test_the_warm_up_is_left_out(plan_of: Callable[..., Plan]) -> None:
    measure = Phases(plan_of(TEXT).arms[0])
    measure.add(_window(W0, 8, 0.25))
    assert _found(measure)["utilisation", W0].value is None


def test_nobody_waits_for_anybody_in_dist_async(plan_of: Callable[..., Plan]) -> None:
    measure = Phases(plan_of(TEXT.replace("dist_sync", "dist_async")).arms[0])
    measure.add(_window(W0, 10, 0.25))
    names = {quantity.name for quantity in measure.quantities()}
    assert names == {"compute_time", "push_pull_time", "utilisation"}


def test_without_phases_there_are_none(plan_of: Callable[..., Plan]) -> None:
    (quantity,) = Phases(plan_of().arms[0]).quantities()
    assert (quantity.name, quantity.value) == ("utilisation", None)
    assert quantity.note.endswith("workload.phases: true")
