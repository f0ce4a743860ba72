"""GPUs and how near they are, as far as a driver tells."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from harness.gpu.machine_code import Capability


@dataclass(frozen=True)
class Gpu:
    """One GPU; what NVML refuses is None, or not there. ``missing``: its word, where it cannot be asked at all.

    ``mig``: it is split, and ``slices`` are the names (UUIDs) of its parts.
    """

    index: int
    name: str
    uuid: str | None
    capability: Capability | None
    memory: int | None
    nvlinks: int | None
    mig: bool
    missing: str = ""
    slices: Sequence[str] = ()


@dataclass(frozen=True)
class Pair:
    """Two GPUs, how near they are, and whether one reads the other's memory (None: nobody says)."""

    first: int
    second: int
    near: str
    reach: bool | None


@dataclass(frozen=True)
class Driver:
    """The driver and the GPUs that it shows; ``missing`` says why there is none. ``cuda``: the newest it serves."""

    version: str | None = None
    cuda: tuple[int, int] | None = None
    gpus: Sequence[Gpu] = ()
    pairs: Sequence[Pair] = ()
    missing: str = ""
