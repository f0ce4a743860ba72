"""Seconds from a worker's first process to its network."""

from __future__ import annotations

from collections.abc import Callable

from harness.measures.start_up import StartUp
from harness.planning.plan import Plan
from harness.vocabulary.events import Ready, Spawned

TEXT = "title: t\nworkload: {model: mlp, steps: 50}\ntopology: {kvstore: dist_sync, workers: 2, servers: 1}\n"


def test_a_quick_start_is_none(plan_of: Callable[..., Plan]) -> None:
    measure = StartUp(plan_of(TEXT + "quick_start: true\n").arms[0])
    measure.add(Spawned(1.0, "main", "worker/0", 7, None))
    measure.add(Ready(2.0, "main", "worker/0", 0, 0, ""))
    (first, _) = measure.quantities()
    assert (first.value, first.n, first.note) == (None, 0, "quick_start leaves most of it out")


def test_it_counts_from_the_first_process_to_the_first_network(plan_of: Callable[..., Plan]) -> None:
    measure = StartUp(plan_of(TEXT).arms[0])
    measure.add(Spawned(1.0, "main", "worker/0", 7, None))
    measure.add(Ready(3.5, "main", "worker/0", 0, 0, ""))
    measure.add(Spawned(9.0, "main", "worker/0", 8, 0))
    measure.add(Ready(20.0, "main", "worker/0", 0, 0, ""))
    found = {quantity.subject: quantity for quantity in measure.quantities()}
    assert (found["worker/0"].value, found["worker/0"].unit) == (2.5, "s")
    assert (found["worker/1"].value, found["worker/1"].note) == (None, "it was never ready")
