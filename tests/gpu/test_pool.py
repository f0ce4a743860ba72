"""The pools, rule by rule, and what holds for every trace."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.gpu.allocation_trace import AllocationTrace
from harness.gpu.device_memory import MIB, DeviceMemory
from harness.gpu.pool import Pool
from harness.gpu.pool_settings import KINDS, PoolSettings
from harness.gpu.simulation import simulate


@pytest.mark.parametrize(
    ("settings", "sizes", "blocks"),
    [
        (PoolSettings("Naive"), (1, 4096, 4097, 2 * MIB, 2 * MIB + 1), (4096, 4096, 8192, 2 * MIB, 4 * MIB)),
        (PoolSettings("Naive", page_size=5000), (1, 5001), (5000, 10000)),
        (
            PoolSettings("Round", cutoff=20),
            (1, 4097, 70_000, MIB, MIB + 1, 3 * MIB),
            (4096, 8192, 131_072, MIB, 2 * MIB, 3 * MIB),
        ),
        (PoolSettings("Round", cutoff=24), (16 * MIB, 16 * MIB + 1, 40 * MIB), (16 * MIB, 32 * MIB, 48 * MIB)),
        (PoolSettings("Unpooled"), (1, 4097), (1, 4097)),
    ],
)
def test_sizes_of_blocks(settings: PoolSettings, sizes: tuple[int, ...], blocks: tuple[int, ...]) -> None:
    pool = Pool(settings, DeviceMemory(10**9, 10**9))
    assert tuple(map(pool.rounded, sizes)) == blocks


def test_a_block_waits_for_the_next_array_of_its_size() -> None:
    pool = Pool(PoolSettings(), DeviceMemory(10**9, 10**9))
    first = pool.allocate(5000)
    assert first is not None
    pool.free(first, 5000)
    assert pool.idle == pool.held == 8192
    assert pool.allocate(8000) is first
    assert (pool.idle, pool.device.mallocs) == (0, 1)


def test_all_that_waits_is_given_back_before_the_reserve_is_touched() -> None:
    """Naive keeps 5 % of the whole free: of 100 MiB, 5."""
    pool = Pool(PoolSettings(), DeviceMemory(100 * MIB, 100 * MIB))
    waiting = pool.allocate(60 * MIB)
    assert waiting is not None
    pool.free(waiting, 60 * MIB)
    assert pool.allocate(36 * MIB) is not None
    assert (pool.device.frees, pool.held) == (1, 36 * MIB)


def test_the_reserve_is_touched_where_nothing_else_is_left() -> None:
    pool = Pool(PoolSettings(), DeviceMemory(100 * MIB, 100 * MIB))
    assert pool.allocate(98 * MIB) is not None
    assert pool.allocate(4 * MIB) is None


@st.composite
def traces(draw: st.DrawFn) -> AllocationTrace:
    events, live, number = list[tuple[int, int]](), list[int](), 0
    for frees, size, place in draw(
        st.lists(st.tuples(st.booleans(), st.integers(1, 40 * MIB), st.integers(0, 10**6)), min_size=1, max_size=80)
    ):
        if frees and live:
            events.append((live.pop(place % len(live)), 0))
        else:
            events.append((number, size))
            live.append(number)
            number += 1
    return AllocationTrace("drawn", events)


@given(traces(), st.sampled_from(KINDS), st.sampled_from([20, 24, 30]), st.sampled_from([64, 256, 4096]))
def test_nothing_is_lost(trace: AllocationTrace, kind: str, cutoff: int, mebibytes: int) -> None:
    """What is live is held, what is held was taken of the device, and no more than there is."""
    settings = PoolSettings(kind, cutoff=cutoff)  # type: ignore[arg-type]
    found = simulate(trace, settings, mebibytes * MIB)
    assert found.end_live <= found.end_held <= found.peak_held
    assert found.peak_live <= found.peak_held <= mebibytes * MIB
    assert 0 <= found.largest <= mebibytes * MIB
    assert found.frees <= found.mallocs
    if kind == "Unpooled":
        assert (found.peak_held, found.fragmentation) == (found.peak_live, 0)
    if found.failure is None:
        assert found.peak_live == trace.peak
