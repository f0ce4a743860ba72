from __future__ import annotations

from collections.abc import Callable
from random import Random

import pytest

from harness.measures.latency import Latency
from harness.planning.plan import Plan
from harness.vocabulary.events import Step
from tests.conftest import SCENARIO


def test_percentiles_after_the_warm_up(plan_of: Callable[..., Plan]) -> None:
    measure = Latency(plan_of(SCENARIO, ("workload.sync_every", 1)).arms[0])
    measure.add(Step(1.0, "main", "worker/0", 0, [9.0] * 20))
    measure.add(Step(2.0, "main", "worker/0", 20, [0.001 * value for value in range(1, 101)]))
    p50, p99 = measure.quantities()
    assert (p50.name, p50.subject, p50.n) == ("step_latency_p50", "worker/0", 100)
    assert p50.value == pytest.approx(0.0505)
    assert p99.value == pytest.approx(0.09901)
    assert (p50.low, p50.note) == (None, "too alike for an interval (100 are worth 1.2)"), "they grow and grow"
    assert (p99.low, p99.note) == (None, "steps of one run tell no interval of a tail; repeats do")


def test_the_median_has_an_interval_where_all_steps_are_kept(plan_of: Callable[..., Plan]) -> None:
    for steps, known in ((4000, True), (4200, False)):
        measure, random = Latency(plan_of(SCENARIO, ("workload.sync_every", 1)).arms[0]), Random(1)
        measure.add(Step(1.0, "main", "worker/0", 20, [random.gauss(0.01, 0.001) for _ in range(steps)]))
        p50, _ = measure.quantities()
        assert p50.n == steps
        assert (p50.low is not None, "tell no interval" in p50.note) == (known, not known)
    assert p50.value == pytest.approx(0.01, rel=0.01)


def test_steps_that_are_not_synchronised_have_no_latency(plan_of: Callable[..., Plan]) -> None:
    (quantity,) = Latency(plan_of().arms[0]).quantities()
    assert quantity.value is None
    assert quantity.note == "steps have no time of their own without sync_every: 1"
