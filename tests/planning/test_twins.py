"""Processes that are compared: hashes are seeded alike, servers keep memory alike, and luck is not; only there."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from harness.planning.plan import Plan

TEXT = """\
title: t
turns: 5
workload: {model: mlp, steps: 50, warmup: 10}
topology: {kvstore: dist_sync, workers: 2}
variants: {a: {}, b: {}}
"""


def seeds(plan: Plan) -> dict[str, list[str]]:
    return {arm.name: [role.env.get("PYTHONHASHSEED", "") for role in arm.roles] for arm in plan.arms}


def test_twins_have_the_same_and_roles_others(plan_of: Callable[..., Plan]) -> None:
    found = seeds(plan_of(TEXT))
    assert found["a"] == found["b"]
    assert len(set(found["a"])) == len(found["a"]) == 4
    assert all(0 < int(seed) < 2**32 for seed in found["a"])


def test_every_pair_has_its_own(plan_of: Callable[..., Plan]) -> None:
    first, again, other = (seeds(plan_of(TEXT, ("seed", seed)))["a"] for seed in (1, 1, 2))
    assert first == again
    assert not set(first) & set(other)


def test_so_has_every_repeat(plan_of: Callable[..., Plan]) -> None:
    found = seeds(plan_of(TEXT, ("repeat", 2)))
    assert found["a.2"] == found["b.2"]
    assert not set(found["a"]) & set(found["a.2"])


def test_who_gives_one_has_it(plan_of: Callable[..., Plan]) -> None:
    plan = plan_of(TEXT, ("target.env.PYTHONHASHSEED", "7"))
    assert {*seeds(plan)["a"], plan.arms[0].env["PYTHONHASHSEED"]} == {"", "7"}


def test_without_turns_python_draws_them(plan_of: Callable[..., Plan]) -> None:
    assert {*seeds(plan_of(TEXT, ("turns", None)))["a"]} == {""}


def paddings(plan: Plan) -> dict[str, list[int]]:
    return {arm.name: [len(role.env.get("HARNESS_PADDING", "")) for role in arm.roles] for arm in plan.arms}


def test_twins_have_one_padding_in_every_pair_another(plan_of: Callable[..., Plan]) -> None:
    """Where memory lies is luck: what would be the same in all pairs would pass for an effect."""
    first, again, other = (paddings(plan_of(TEXT, ("seed", seed))) for seed in (1, 1, 2))
    assert first == again and first["a"] == first["b"]
    every = [*first["a"], *other["a"]]
    assert len(set(every)) > 6 and all(512 <= length < 4608 for length in every)
    assert {*paddings(plan_of(TEXT, ("turns", None)))["a"]} == {0}


def shifts(plan: Plan) -> dict[str, list[str]]:
    return {arm.name: [role.env.get("HARNESS_SHIFT", "") for role in arm.roles] for arm in plan.arms}


def test_twins_are_moved_alike_in_every_pair_elsewhere(plan_of: Callable[..., Plan]) -> None:
    first, again, other = (shifts(plan_of(TEXT, ("seed", seed))) for seed in (1, 1, 2))
    assert first == again and first["a"] == first["b"]
    every = [*first["a"], *other["a"]]
    mapped, heap = zip(*(map(int, pages.split()) for pages in every), strict=True)
    assert len(set(mapped)) == 8 and all(1 <= pages < 65536 for pages in mapped)
    assert len(set(heap)) == 8 and all(1 <= pages < 16384 for pages in heap)
    assert {*shifts(plan_of(TEXT, ("turns", None)))["a"]} == {""}


def keeps(plan: Plan) -> dict[str, list[str]]:
    return {
        arm.name: [role.name for role in arm.roles if role.env.get("MALLOC_TRIM_THRESHOLD_") == "17179869184"]
        for arm in plan.arms
    }


def test_servers_give_no_memory_back(plan_of: Callable[..., Plan]) -> None:
    assert keeps(plan_of(TEXT)) == {"a": ["server/0"], "b": ["server/0"]}


def test_without_turns_malloc_is_as_it_is(plan_of: Callable[..., Plan]) -> None:
    assert keeps(plan_of(TEXT, ("turns", None))) == {"a": [], "b": []}


@pytest.mark.parametrize("name", ["GLIBC_TUNABLES", "MALLOC_ARENA_MAX"])
def test_where_one_side_sets_malloc_no_side_is_touched(plan_of: Callable[..., Plan], name: str) -> None:
    assert keeps(plan_of(TEXT, (f"variants.b.target.env.{name}", "x"))) == {"a": [], "b": []}


@pytest.mark.parametrize(
    ("field", "value", "threads"),
    [
        ("target.env.OMP_NUM_THREADS", "2,1", 2),
        ("target.env.MXNET_CPU_WORKER_NTHREADS", "3", 3),
        ("topology.contexts", ["cpu(0)", "cpu(1)"], 2),
        ("workload.input", {"by": "data_loader", "workers": 2}, 1),
    ],
)
def test_whatever_computes_in_threads_has_processors_for_them(
    plan_of: Callable[..., Plan], field: str, value: object, threads: int
) -> None:
    """Else all of them were kept to one, and the main thread alone to the other."""
    local = "topology: {kvstore: local}" if "contexts" in field else ""
    single = TEXT.replace("topology: {kvstore: dist_sync, workers: 2}", local)
    plan = plan_of(single, ("workload.batch_size", 32), (field, value))
    assert [share.threads for arm in plan.arms for share in arm.shares.values()] == [threads, threads]
