from __future__ import annotations

from collections.abc import Callable

from harness.events import Traffic as TrafficEvent
from harness.measures.traffic import Traffic
from harness.plan import Plan

NETWORKED = """\
title: a question
workload: {model: mlp, steps: 100}
topology: {kvstore: dist_sync, workers: 2, network: {}}
"""


def test_what_was_carried_since_the_first_credit(plan_of: Callable[..., Plan]) -> None:
    measure = Traffic(plan_of(NETWORKED).arms[0])
    measure.add(TrafficEvent(1.0, "main", "worker-0", 1000, 10, 0, 500, 5, 0))
    measure.add(TrafficEvent(5.0, "main", "worker-0", 21000, 30, 2, 10500, 20, 1))
    found = {quantity.name: (quantity.value, quantity.unit, quantity.role) for quantity in measure.quantities()}
    assert found == {
        "sent_bytes": (20000, "B", "worker-0"),
        "received_bytes": (10000, "B", "worker-0"),
        "sent_per_step": (200.0, "B/step", "worker-0"),
        "received_per_step": (100.0, "B/step", "worker-0"),
        "sent_packets": (20, "packets", "worker-0"),
        "received_packets": (15, "packets", "worker-0"),
        "dropped_packets": (3, "packets", "worker-0"),
    }


def test_loopback_is_not_counted(plan_of: Callable[..., Plan]) -> None:
    (quantity,) = Traffic(plan_of().arms[0]).quantities()
    assert (quantity.value, quantity.note) == (None, "processes talk over loopback; give topology.network")
