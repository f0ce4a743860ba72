"""Simulated pools beside the real ones: 87 replays that an H100 recorded."""

from __future__ import annotations

import json
from typing import Any

import pytest

from harness.gpu import allocation_trace, pool_settings
from harness.gpu.allocation_trace import AllocationTrace
from harness.gpu.device_memory import PAGE, DeviceMemory
from harness.gpu.pool import Pool
from harness.gpu.pool_settings import PoolSettings
from harness.gpu.replay import Failure, Replay
from harness.gpu.simulation import least_memory, simulate
from tests.conftest import ROOT
from tests.hardware.test_gpu import SETTINGS

RECORDED = ROOT / "tests" / "recorded" / "h100"
REPLAYS = [json.loads(line) for line in (RECORDED / "replays.jsonl").read_text().splitlines()]
"""Of the real pools, where each free was waited for, and nine where none was: these are alike."""

APART = {"cnn-naive-8gb-reserve0": 0.007}
"""Of the one that parts, by how much of what was held."""


@pytest.fixture(scope="module")
def traces() -> dict[str, AllocationTrace]:
    return {name: allocation_trace.read(RECORDED / f"{name}.trace.gz") for name in ("rnn", "cnn", "fixed")}


def simulated(replay: dict[str, Any], trace: AllocationTrace) -> Replay:
    """The replay's first array, which came before the trace, was in the pool, and a page of the device with it."""
    first = [(-1, 1), (-1, 0)]
    scaled = AllocationTrace(trace.name, [*first, *trace.scaled(replay["scale"]).events])
    settings = pool_settings.from_environment(replay["settings"])
    limit = replay["limit_gb"]
    total = int(limit * 2**30) if limit else replay["total"]
    free = replay["free_before"] + (0 if settings.kind == "Unpooled" else PAGE)
    return simulate(scaled, settings, free, total)


@pytest.mark.parametrize("replay", REPLAYS, ids=lambda replay: f"{replay['name']}-{replay['waits']}")
def test_it_is_what_the_gpu_did(replay: dict[str, Any], traces: dict[str, AllocationTrace]) -> None:
    found = simulated(replay, traces[replay["trace"].removesuffix(".trace")])
    failure = found.failure and found.failure.event - 2
    there = replay["failure"] and replay["failure"]["event"]
    assert (found.peak_live, failure) == (replay["peak_live"], there)
    counted = {"mallocs": found.mallocs, "frees": found.frees}
    held = {"peak_held": found.peak_held, "end_held": found.end_held}
    if replay["name"] in APART:
        assert held["peak_held"] == pytest.approx(replay["peak_held"], rel=APART[replay["name"]])
    else:
        assert counted | held == {name: replay[name] for name in counted | held}


H200 = json.loads((ROOT / "tests" / "recorded" / "h200" / "test-gpu.json").read_text())
NAMES = ("peak_live", "peak_held", "end_held", "fragmentation", "mallocs", "frees")


def of_trace(found: Replay, settings: PoolSettings) -> dict[str, int]:
    """Without the array before the trace: its block is in the pool, and a page of the device with it."""
    first = 0 if settings.kind == "Unpooled" else settings.page_size
    more = dict.fromkeys(("peak_held", "end_held", "fragmentation"), first) | {"mallocs": 1, "frees": int(not first)}
    return {name: getattr(found, name) - more.get(name, 0) for name in NAMES}


@pytest.mark.parametrize("name", ["rnn", "cnn"])
def test_it_is_what_another_gpu_did(name: str, traces: dict[str, AllocationTrace]) -> None:
    """14 settings of two traces on an H200, as `harness pool replay --gpu` made them."""
    trace = AllocationTrace(name, [(-1, 1), (-1, 0), *traces[name].scaled(16).events])
    total = H200["driver_says"]["gpus"][0]["memory"]
    known = {each.words: each for each in SETTINGS}
    for row in H200[f"replays_{name}"]:
        settings = known[row["settings"]]
        free = row["free"] + (0 if settings.kind == "Unpooled" else PAGE)
        found = of_trace(simulate(trace, settings, free, row["limit"] or total), settings)
        assert found == {each: row[each][1] for each in NAMES}, (row["settings"], row["limit"])


LASTS = [json.loads(line) for line in (RECORDED.with_name("h200") / "lasts.jsonl").read_text().splitlines()]


@pytest.mark.parametrize("name", ["rnn", "cnn", "fixed"])
def test_the_least_memory_is_what_a_gpu_needs(name: str, traces: dict[str, AllocationTrace]) -> None:
    """Of four pools on an H200: with 2 % less none lasted, with 8 MiB more than what is foretold each did."""
    rows = [row for row in LASTS if row["trace"] == name]
    pools = {json.dumps(row["settings"]): row["settings"] for row in rows}
    assert len(pools) == 4
    for key, variables in pools.items():
        least = least_memory(traces[name].scaled(16), pool_settings.from_environment(variables))
        assert least is not None
        own = [row for row in rows if json.dumps(row["settings"]) == key]
        (short,) = (row for row in own if row["asked"] < least)
        assert (short["asked"], short["failure"] is not None) == (pytest.approx(0.98 * least, rel=1e-5), True)
        lasted = min(row["free"] for row in own if row["failure"] is None)
        assert least - (8 << 20) < lasted <= least + (8 << 20)


def test_there_are_96_of_them_and_87_were_waited_for() -> None:
    assert (len(REPLAYS), sum(replay["waits"] == "1" for replay in REPLAYS)) == (96, 87)


@pytest.mark.parametrize("settings", SETTINGS, ids=lambda settings: settings.words)
@pytest.mark.parametrize("name", ["rnn", "cnn"])
def test_the_least_memory_is_where_it_begins_to_last(
    name: str, settings: PoolSettings, traces: dict[str, AllocationTrace]
) -> None:
    trace = traces[name].scaled(16)
    least = least_memory(trace, settings)
    assert least is not None
    assert simulate(trace, settings, least + 2 * PAGE).failure is None
    assert simulate(trace, settings, least - 2 * PAGE).failure is not None


def test_round_has_no_place_for_what_is_larger_than_16_gib() -> None:
    trace = AllocationTrace("t", [(1, (1 << 34) + 1)])
    rounded, naive = (simulate(trace, settings, 80 * 2**30) for settings in (PoolSettings("Round"), PoolSettings()))
    assert (rounded.failure and rounded.failure.beyond, naive.failure) == (True, None)
    assert least_memory(trace, PoolSettings("Round")) is None
    assert simulate(AllocationTrace("t", [(1, 1)]), PoolSettings("Round"), 80 * 2**30).largest <= 8 * (2**31 - 1)


def test_what_still_grows_when_the_trace_ends_says_so() -> None:
    growing = [(number, 3_000_000 * number) for number in range(1, 10)]
    assert simulate(AllocationTrace("t", growing), PoolSettings(), 2**30).still_grew
    steady = [each for number in range(1, 10) for each in ((number, 3_000_000), (number, 0))]
    assert not simulate(AllocationTrace("t", steady), PoolSettings(), 2**30).still_grew


@pytest.mark.parametrize("settings", SETTINGS, ids=lambda settings: settings.words)
def test_the_largest_array_can_be_had_and_hardly_a_larger_one(settings: PoolSettings) -> None:
    free, taken = 8 * 2**30, 100_000_000
    largest = simulate(AllocationTrace("t", [(1, taken)]), settings, free).largest
    step = PAGE if settings.kind != "Round" else 1 << settings.cutoff
    for size, there in ((largest, True), (largest + 2 * max(step, settings.large_round), False)):
        pool = Pool(settings, DeviceMemory(free, free))
        pool.allocate(taken)
        assert (pool.allocate(size) is not None) is there


def test_a_trace_that_runs_out() -> None:
    trace = AllocationTrace("t", [(1, 3_000_000), (2, 3_000_000), (3, 3_000_000)])
    found = simulate(trace, PoolSettings("Unpooled"), 9_000_000)
    assert found.failure == Failure(event=2, size=3_000_000, live=6_000_000, held=6_000_000)
    assert (found.served, found.calls, found.largest) == (2, 3, 0), "what is left is no whole page"
