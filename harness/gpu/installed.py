"""The driver of this machine, if it has one."""

from __future__ import annotations

import ctypes
import json
import subprocess
from typing import Any

from harness.base.process import die_with_parent, module
from harness.gpu.devices import Driver, Gpu, Pair

LIBRARY = "libnvidia-ml.so.1"
"""NVML, which comes with the driver."""

_PATIENCE_SECONDS = 20.0
"""Where nothing keeps it loaded, a driver may take seconds for each GPU first ("Driver Persistence")."""


def driver() -> Driver:
    """What there is on this machine, asked by a process of its own: a driver that hangs holds up nobody for long.

    Where there is no driver, nobody is asked.
    """
    try:
        ctypes.CDLL(LIBRARY)
    except OSError:
        return Driver(missing="nvml shared library not found")
    argv = module("harness.gpu.nvml")
    asked = subprocess.Popen(argv, stdout=subprocess.PIPE, text=True, preexec_fn=die_with_parent)
    try:
        said, _ = asked.communicate(timeout=_PATIENCE_SECONDS)
        return _read(json.loads(said))
    except subprocess.TimeoutExpired:
        return Driver(missing=f"the driver does not answer within {_PATIENCE_SECONDS:g} s")
    except (ValueError, LookupError, TypeError):
        return Driver(missing=f"who asked the driver ended with status {asked.returncode}")
    finally:
        asked.kill()  # what hangs in the kernel keeps it: nobody waits for it


def _read(said: dict[str, Any]) -> Driver:
    gpus = [Gpu(**{**gpu, "capability": _pair(gpu["capability"])}) for gpu in said["gpus"]]
    pairs = [Pair(**pair) for pair in said["pairs"]]
    return Driver(said["version"], _pair(said["cuda"]), gpus, pairs, said["missing"])


def _pair(numbers: list[int] | None) -> tuple[int, int] | None:
    return None if numbers is None else (numbers[0], numbers[1])
