"""How large batches are, and how they come."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from harness.base.errors import ScenarioError
from harness.planning.plan import Plan

TEXT = "title: t\nworkload: {model: lenet, steps: 50, warmup: 10}\n"
VARYING = {"distribution": "choice", "values": [8, 64]}
DIST = {"kvstore": "dist_sync", "workers": 2}


def test_sizes_are_drawn_from_the_seed_and_added_up_again_and_again(plan_of: Callable[..., Plan]) -> None:
    job = plan_of(TEXT, ("workload.batch_size", VARYING)).arms[0].workload
    assert len(job.batch_sizes) == 50
    assert set(job.batch_sizes) == {8, 64}
    assert job.batch_size == round(sum(job.batch_sizes) / 50)
    assert job.samples_of(48, 4) == sum((*job.batch_sizes[48:], *job.batch_sizes[:2]))
    assert job.samples_of(3, 107) == 2 * sum(job.batch_sizes) + sum(job.batch_sizes[3:10])


def test_one_size_is_a_number(plan_of: Callable[..., Plan]) -> None:
    for size in (24, {"distribution": "fixed", "value": 24}):
        job = plan_of(TEXT, ("workload.batch_size", size)).arms[0].workload
        assert (job.batch_size, job.batch_sizes, job.samples_of(7, 3)) == (24, (), 72)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"topology": DIST}, "MXNet's Trainer takes one batch size .*; give update_on_kvstore: false with dist_sync"),
        ({"topology": {**DIST, "kvstore": "dist_async"}}, "MXNet's Trainer takes one batch size"),
        ({"topology": {"contexts": ["cpu(0)", "cpu(1)"]}}, "is split over 2 contexts; give one context, or one size"),
        ({"topology": {**DIST, "loop": "push_pull"}}, "the optimizer on the kvstore divides by one number"),
        ({"workload.input": {"by": "data_loader"}}, "a loader brings one size; give a number"),
        (
            {"workload.batch_size": {**VARYING, "buckets": [16]}},
            "the largest bucket, 16, is below the largest size, 64",
        ),
    ],
)
def test_where_a_batch_size_cannot_vary(plan_of: Callable[..., Plan], changes: dict[str, object], message: str) -> None:
    with pytest.raises(ScenarioError, match=message):
        plan_of(TEXT, ("workload.batch_size", VARYING), *changes.items())


@pytest.mark.parametrize(
    ("asked", "changes", "message"),
    [
        ({"by": "arrays"}, {}, "ndarray_iter, data_loader or record_iter is needed"),
        ({"by": "record_iter", "threads": True}, {}, "input.threads: is a DataLoader's, not of record_iter"),
        ({"by": "ndarray_iter", "workers": 2}, {}, "input.workers: NDArrayIter has all in memory"),
        ({"by": "record_iter"}, {"workload.model": "lstm"}, "record_iter brings images, and lstm takes sequence"),
        (
            {"by": "data_loader", "preprocessing": "online"},
            {"workload.model": "text_cnn"},
            "preprocessing: is for images, and text_cnn takes tokens",
        ),
        (
            {"by": "data_loader"},
            {"workload.shapes": {"distribution": "uniform", "min": 8, "max": 16}},
            "a loader brings one size; use distribution: fixed",
        ),
        ({"by": "data_loader"}, {"workload.training": "oracle", "workload.model": None}, "loaders are for the network"),
    ],
)
def test_what_a_loader_cannot_bring(
    plan_of: Callable[..., Plan], asked: dict[str, object], changes: dict[str, object], message: str
) -> None:
    with pytest.raises(ScenarioError, match=message):
        plan_of(TEXT, ("workload.input", asked), *changes.items())
