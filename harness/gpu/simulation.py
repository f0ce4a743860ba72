"""A trace of allocations through a pool, on a device of a given size."""

from __future__ import annotations

from harness.gpu.allocation_trace import AllocationTrace
from harness.gpu.device_memory import PAGE, Block, DeviceMemory
from harness.gpu.pool import Pool
from harness.gpu.pool_settings import PoolSettings
from harness.gpu.replay import Failure, Replay

LONGEST = 8 * ((1 << 31) - 1)
"""Bytes of the largest array: elements are counted by 32 bits, unless MXNet was built for more."""

ENDLESS = 1 << 50


def simulate(trace: AllocationTrace, settings: PoolSettings, free: int, total: int | None = None) -> Replay:
    """Replay a trace with ``free`` bytes of a device of ``total`` bytes (as many, unless given), up to its failure."""
    device = DeviceMemory(free, free if total is None else total)
    pool = Pool(settings, device)
    blocks: dict[int, tuple[Block, int]] = {}
    live = peak_live = peak_held = fragmentation = held_before = 0
    failure, late = None, len(trace.events) * 2 // 3
    for event, (array, size) in enumerate(trace.events):
        if size:
            block = pool.allocate(size)
            if block is None:
                failure = Failure(event, size, live, pool.held, pool.rounded(size) > settings.most)
                break
            blocks[array] = block, size
            live += size
        else:
            block, freed = blocks.pop(array)
            pool.free(block, freed)
            live -= freed
        held = pool.held
        peak_live = live if live > peak_live else peak_live  # the inner loop: no calls
        peak_held = held if held > peak_held else peak_held
        fragmentation = held - live if held - live > fragmentation else fragmentation
        if event < late:
            held_before = peak_held
    mallocs, frees, end_held = device.mallocs, device.frees, pool.held
    return Replay(
        settings=settings,
        events=len(trace.events),
        peak_live=peak_live,
        peak_held=peak_held,
        end_live=live,
        end_held=end_held,
        fragmentation=fragmentation,
        largest=_largest(pool),
        mallocs=mallocs,
        frees=frees,
        failure=failure,
        held_before=held_before,
    )


def least_memory(trace: AllocationTrace, settings: PoolSettings) -> int | None:
    """Bytes of the smallest device with which a trace lasts, to within some pages; None where none would do.

    Before a pool fails an array it gives back all that waits: what is live, as it is rounded, has to fit.
    """
    device = DeviceMemory(ENDLESS, ENDLESS)
    pool = Pool(settings, device)
    blocks: dict[int, Block] = {}
    for array, size in trace.events:
        if not size:
            device.release(blocks.pop(array))
            continue
        rounded = pool.rounded(size)
        block = device.malloc(rounded) if rounded <= settings.most else None
        if block is None:
            return None
        blocks[array] = block
    return ENDLESS - device.least_free


def _largest(pool: Pool) -> int:
    """The largest array that would find memory once all that waits is given back, to within a page of the device.

    At most what MXNet can name.
    """
    pool.release_all()
    low, high = 0, min(pool.device.free, LONGEST)
    while high - low > PAGE:
        middle = (low + high) // 2
        block = pool.rounded(middle)
        fits = block <= pool.settings.most and -(-block // PAGE) * PAGE <= pool.device.free
        low, high = (middle, high) if fits else (low, middle)
    return low
