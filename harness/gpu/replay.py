"""What became of a trace of allocations in a pool, simulated or on a GPU."""

from __future__ import annotations

from dataclasses import dataclass

from harness.gpu.pool_settings import PoolSettings

GREW = 1.01
"""So many times what was held before is more."""


@dataclass(frozen=True)
class Failure:
    """The first array that found no memory: which event, how large, and what was live and held then, in bytes.

    ``beyond``: it is larger than what its pool has a place for, whatever memory there is.
    """

    event: int
    size: int
    live: int
    held: int
    beyond: bool = False


@dataclass(frozen=True)
class Replay:
    """What became of a trace: all sizes in bytes.

    ``fragmentation`` is the most that was held beyond what was live. ``largest``: the largest array that could still be
    had at the end. ``mallocs`` and ``frees`` are those of the device. Simulated also what was held at most in the first
    two thirds (``held_before``), and, where it was asked for, the least memory with which all of it lasts
    (``lasts_from``). Of a real GPU also
    ``seconds`` that it took, and bytes that were really ``free``; its pool has a block more, of an array before the
    first.
    """

    settings: PoolSettings
    events: int
    peak_live: int
    peak_held: int
    end_live: int
    end_held: int
    fragmentation: int
    largest: int
    mallocs: int
    frees: int
    failure: Failure | None
    seconds: float | None = None
    free: int | None = None
    held_before: int | None = None
    lasts_from: int | None = None

    @property
    def calls(self) -> int:
        """Of the device. An H100 took 4 us for each of 4 kB, 50 us for 16 MB, more for more."""
        return self.mallocs + self.frees

    @property
    def still_grew(self) -> bool:
        """Whether the last third held clearly more than what came before: a longer training may hold more still."""
        return self.held_before is not None and self.peak_held > self.held_before * GREW

    @property
    def served(self) -> int:
        """How many events went by before the first failure."""
        return self.events if self.failure is None else self.failure.event
