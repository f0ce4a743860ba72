from __future__ import annotations

from collections.abc import Callable

from harness.measures.traffic import Traffic
from harness.planning.plan import Plan
from harness.vocabulary.events import Done
from harness.vocabulary.events import Traffic as TrafficEvent

NETWORKED = """\
title: a question
workload: {model: mlp, steps: 100, warmup: 10}
topology: {kvstore: dist_sync, workers: 2, network: {}}
"""


def test_what_was_carried_after_the_warm_up(plan_of: Callable[..., Plan]) -> None:
    measure = Traffic(plan_of(NETWORKED).arms[0])
    measure.add(TrafficEvent(1.0, "main", "worker-0", 1000, 10, 0, 500, 5, 0))
    measure.add(TrafficEvent(5.0, "main", "worker-0", 19000, 30, 2, 9500, 20, 1))
    measure.add(Done(5.0, "main", "worker/0", 100))
    measure.add(Done(5.0, "main", "worker/1", 100))
    carried = {quantity.name: (quantity.value, quantity.unit, quantity.subject) for quantity in measure.quantities()}
    assert carried == {
        "sent_bytes": (18000, "B", "worker-0"),
        "received_bytes": (9000, "B", "worker-0"),
        "sent_per_step": (200.0, "B/step", "worker-0"),
        "received_per_step": (100.0, "B/step", "worker-0"),
        "sent_packets": (20, "packets", "worker-0"),
        "received_packets": (15, "packets", "worker-0"),
        "dropped_packets": (3, "packets", "worker-0"),
    }


def test_missing_is_not_zero(plan_of: Callable[..., Plan]) -> None:
    measure = Traffic(plan_of(NETWORKED).arms[0])
    measure.add(TrafficEvent(1.0, "main", "worker-0", 1000, 10, 0, 500, 5, 0))
    (nothing,) = measure.quantities()
    assert (nothing.value, nothing.note) == (None, "nothing was counted after the warm-up")
    measure.add(TrafficEvent(5.0, "main", "worker-0", 19000, 30, 2, 9500, 20, 1))
    per_step = next(quantity for quantity in measure.quantities() if quantity.name == "sent_per_step")
    assert (per_step.value, per_step.note) == (None, "not all workers trained to the end")


def test_loopback_is_not_counted(plan_of: Callable[..., Plan]) -> None:
    (quantity,) = Traffic(plan_of().arms[0]).quantities()
    assert (quantity.value, quantity.note) == (None, "processes talk over loopback; give topology.network")
