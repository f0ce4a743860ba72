"""Which process of a job holds how much of a GPU."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from harness.measures.gpu_processes import GpuProcesses
from harness.planning.plan import Plan
from harness.vocabulary.events import Announced, Event, GpuSampled, Spawned

TEXT = """
title: t
workload: {model: mlp, steps: 100, warmup: 20}
topology: {kvstore: dist_sync, workers: 2, contexts: ["gpu(0)"], own_gpus: true}
"""


def sampled(gpu: int, missing: dict[str, str] | None = None, **processes: int) -> Event:
    return GpuSampled(
        3.0, "main", f"gpu/{gpu}", {}, missing or {}, [], {pid[1:]: held for pid, held in processes.items()}
    )


@pytest.fixture
def measured(plan_of: Callable[..., Plan]) -> Callable[..., dict[str, tuple[float | None, str]]]:
    def measure(*events: Event, text: str = TEXT) -> dict[str, tuple[float | None, str]]:
        found: Any = GpuProcesses(plan_of(text).arms[0])
        for event in events:
            found.add(event)
        return {quantity.subject: (quantity.value, quantity.note) for quantity in found.quantities()}

    return measure


Measured = Callable[..., dict[str, tuple[float | None, str]]]


def test_the_most_of_each_worker_on_each_gpu(measured: Measured) -> None:
    """A worker under a wrapper is known by the number that it says itself; strangers are left out."""
    come = [Spawned(1.0, "main", "worker/0", 10, None), Spawned(1.0, "main", "worker/1", 20, None)]
    wrapped = Announced(1.5, "main", "worker/1", 21)
    found = measured(*come, wrapped, sampled(0, p10=500, p99=9), sampled(1, p21=700), sampled(0, p10=300))
    assert found == {"worker/0 on gpu/0": (500, ""), "worker/1 on gpu/1": (700, "")}


def test_a_worker_that_is_not_named_is_not_available(measured: Measured) -> None:
    come = [Spawned(1.0, "main", "worker/0", 10, None), Spawned(1.0, "main", "worker/1", 20, None)]
    found = measured(*come, sampled(0, p10=500))
    assert found["worker/1"] == (None, "the driver named no process of ours; in a container it often does not")
    refused = measured(*come, sampled(0, {"processes": "insufficient permissions"}))
    assert refused == dict.fromkeys(("worker/0", "worker/1"), (None, "insufficient permissions"))


def test_nothing_without_gpus(measured: Measured) -> None:
    assert measured(text="title: t\nworkload: {model: mlp, steps: 100, warmup: 20}\n") == {}
