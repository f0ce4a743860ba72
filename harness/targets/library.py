"""MXNet's library in a target, found without importing it."""

from __future__ import annotations

import os
import subprocess
from functools import cache
from pathlib import Path

from harness.base.errors import InputError
from harness.base.process import answer
from harness.gpu import machine_code
from harness.gpu.machine_code import MachineCode
from harness.targets.interpreter import Interpreter

_FIND = """
import os, runpy
from importlib.util import find_spec
spec = find_spec("mxnet")
if spec:
    print(runpy.run_path(os.path.join(os.path.dirname(spec.origin), "libinfo.py"))["find_lib_path"]()[0])
"""
"""``python/mxnet/libinfo.py``, which MXNet itself asks: a library that was built from source lies elsewhere."""

_PATIENCE_SECONDS = 30.0


def path_of(interpreter: Interpreter) -> Path | None:
    """The file that an interpreter's mxnet loads, of which the shell's variables decide nothing; None if untold."""
    passed_on = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "MXNET_"))}
    try:
        done = answer([str(interpreter.python), "-c", _FIND], _PATIENCE_SECONDS, {**passed_on, **interpreter.env})
    except (OSError, subprocess.TimeoutExpired) as error:
        raise InputError(f"{interpreter.python} is no Python that runs here: {error}") from error
    found = Path(done.stdout.strip())
    return found if done.stdout.strip() and found.is_file() else None


@cache
def machine_code_of(interpreter: Interpreter) -> MachineCode | None:
    """For which GPUs its library is; None where there is no library to be read."""
    path = path_of(interpreter)
    try:
        return None if path is None else machine_code.read(path)
    except InputError:
        return None
