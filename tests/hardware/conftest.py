"""The GPU at hand, an MXNet for it, and a file that keeps what it said."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from harness.gpu import installed
from harness.gpu.devices import Driver
from harness.targets import environment
from harness.targets.interpreter import Interpreter, on_disk

PYTHON = "HARNESS_GPU_PYTHON"
"""An interpreter with MXNet for GPUs, in place of the one that is built (4 GB)."""

RECORD = "HARNESS_GPU_RECORD"
"""The folder in which what the GPU said is kept (`tests/recorded`)."""

Record = Callable[[str, Any], None]


@pytest.fixture(scope="session")
def driver() -> Driver:
    """What NVML tells of this machine; without a GPU the test is skipped."""
    found = installed.driver()
    if not found.gpus:
        pytest.skip(f"no GPU here: {found.missing or 'the driver shows none'}")
    return found


@pytest.fixture(scope="session")
def on_gpu(driver: Driver) -> Interpreter:
    """MXNet for GPUs."""
    if chosen := os.environ.get(PYTHON):
        return on_disk(chosen)
    recipe = environment.recipe(environment.DEFAULT_MXNET, cuda="11")
    return environment.ensure(recipe, lambda line: None).interpreter


@pytest.fixture(scope="session")
def record(driver: Driver) -> Iterator[Record]:
    """Keeps what was seen, by name, with the GPU's name and the date."""
    seen: dict[str, Any] = {
        "gpu": driver.gpus[0].name,
        "driver": driver.version,
        "date": time.strftime("%Y-%m-%d", time.gmtime()),
    }
    yield seen.__setitem__
    if folder := os.environ.get(RECORD):
        Path(folder).mkdir(parents=True, exist_ok=True)
        (Path(folder) / "test-gpu.json").write_text(json.dumps(seen, indent=1, sort_keys=True) + "\n")
