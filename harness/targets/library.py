"""MXNet's library in a target, found without importing it."""

from __future__ import annotations

import subprocess
from functools import cache
from pathlib import Path

from harness.base.errors import InputError
from harness.gpu import machine_code
from harness.gpu.machine_code import MachineCode

_FIND = "from importlib.util import find_spec; print((find_spec('mxnet') or type('', (), {'origin': ''})).origin)"
_PATIENCE_SECONDS = 30.0


def path_of(python: Path) -> Path:
    """The file that an interpreter's mxnet loads; InputError where there is none."""
    try:
        argv = [str(python), "-c", _FIND]
        done = subprocess.run(argv, capture_output=True, text=True, timeout=_PATIENCE_SECONDS, cwd="/")
    except (OSError, subprocess.TimeoutExpired) as error:
        raise InputError(f"{python} is no Python that runs here: {error}") from error
    found = Path(done.stdout.strip() or "/").parent / "libmxnet.so"
    if not found.is_file():
        raise InputError(f"{python} has no mxnet with a libmxnet.so beside it; give the path of a python with mxnet")
    return found


@cache
def machine_code_of(python: Path) -> MachineCode:
    """For which GPUs the library of an interpreter is; InputError where it cannot be found or read."""
    return machine_code.read(path_of(python))
