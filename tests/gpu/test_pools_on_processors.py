"""Simulated pools beside MXNet's own: 2.0.0b1 has the three pools of GPUs on processors, by one and the same source."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from harness.base import compiled
from harness.gpu import allocation_trace, simulation
from harness.gpu.allocation_trace import AllocationTrace
from harness.gpu.device_memory import Block, DeviceMemory
from harness.gpu.pool_settings import PoolSettings
from harness.targets import environment
from tests.conftest import ROOT
from tests.hardware.test_gpu import SETTINGS

PROGRAM = Path(__file__).with_name("replay_on_processors.py")
NAMES = ("peak_live", "peak_held", "end_held", "fragmentation", "mallocs", "frees")
GIB = 1 << 30


class Exact(DeviceMemory):
    """A device without pages: every byte that is free can be had."""

    def malloc(self, size: int) -> Block | None:
        self.mallocs += 1
        return Block(size, None) if self._take(size) else None


@pytest.fixture(scope="session")
def python() -> Path:
    return environment.ensure(environment.recipe("2.0.0b1"), lambda line: None).interpreter.python


def _of_processors(name: str) -> str:
    """2.0.0b1 calls the size of a page MXNET_CPU_POOL_PAGE_SIZE, and all else as for GPUs."""
    return name.replace("_GPU_", "_CPU_").replace("MEM_POOL_PAGE", "POOL_PAGE")


def real(python: Path, trace: Path, settings: PoolSettings, limit: int, folder: Path) -> dict[str, Any]:
    library = compiled.library(Path(__file__).with_name("limited_memory.c"), folder, ("-pthread", "-ldl"))
    own = {_of_processors(name): value for name, value in settings.environment.items()}
    limited = {"LIMITED_MEMORY": str(limit), "LD_PRELOAD": str(library), "PYTHONPATH": str(ROOT / "harness" / "worker")}
    argv = [str(python), str(PROGRAM), str(trace)]
    done = subprocess.run(argv, capture_output=True, text=True, env={**os.environ, **own, **limited})
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout.splitlines()[-1])
    assert isinstance(found, dict)
    return found


@pytest.mark.parametrize("limit", [8 * GIB, 4 * GIB], ids=["8GiB", "4GiB"])
@pytest.mark.parametrize("settings", SETTINGS, ids=lambda settings: settings.words)
def test_they_do_the_same(
    settings: PoolSettings, limit: int, python: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With so little that what waits is given back, and with too little."""
    trace = allocation_trace.read(ROOT / "tests" / "recorded" / "h100" / "cnn.trace.gz").scaled(16)
    allocation_trace.write(trace, tmp_path / "trace")
    found = real(python, tmp_path / "trace", settings, limit, tmp_path)
    monkeypatch.setattr(simulation, "DeviceMemory", Exact)
    pooled = settings.kind != "Unpooled"
    block = settings.page_size if pooled else 0  # of an array that came before the trace
    others = found["before"] - block
    told = simulation.simulate(AllocationTrace("t", [(-1, 1), (-1, 0), *trace.events]), settings, limit - others, limit)
    first = {"peak_held": block, "end_held": block, "fragmentation": block, "mallocs": 1, "frees": int(not pooled)}
    assert {name: found[name] for name in NAMES} == {name: getattr(told, name) - first.get(name, 0) for name in NAMES}
    assert (found["failure"] or {}).get("event") == (told.failure.event - 2 if told.failure else None)
    assert (told.failure is None) == (limit > 4 * GIB)
