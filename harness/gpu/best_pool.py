"""The settings of a pool that serve a trace best within the memory of a GPU."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

from harness.gpu.device_memory import MIB
from harness.gpu.pool_settings import HIGHEST_CUTOFF, LOWEST_CUTOFF, PoolSettings
from harness.gpu.replay import Replay

PAGES = (4096, 65536)
LARGE_ROUNDS = (2 * MIB, 16 * MIB, 64 * MIB)
BUSIER = 2
"""So many times the calls of the device that the least busy setting makes are still no cost that counts."""


def candidates() -> tuple[PoolSettings, ...]:
    """Every setting that is tried, MXNet's default first."""
    naive = (PoolSettings("Naive", page, large) for page, large in product(PAGES, LARGE_ROUNDS))
    cutoffs = range(LOWEST_CUTOFF, HIGHEST_CUTOFF + 1)
    linear = (PoolSettings("Round", page, cutoff=cutoff) for page, cutoff in product(PAGES, cutoffs))
    return (*naive, *linear, PoolSettings("Unpooled"))


def ranked(found: Sequence[Replay]) -> list[Replay]:
    """Best first: what serves the whole trace, else the most of it; without many calls of the device; holding least."""
    least = min((each.calls for each in found if each.failure is None), default=0)
    return sorted(found, key=lambda each: (-each.served, each.calls > BUSIER * least, each.peak_held, each.calls))
