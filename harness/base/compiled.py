"""Libraries that are compiled where they are needed, once, with the C compiler of the machine."""

from __future__ import annotations

import ctypes
import hashlib
import platform
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

OPTIONS = ("-std=gnu99", "-O2", "-shared", "-fPIC")


def library(source: Path, folder: Path, more: Sequence[str] = ()) -> Path:
    """The library of a C file in ``folder``, made if it is not there or cannot be loaded; ``more`` options come last.

    RuntimeError and OSError say why it cannot be had.
    """
    options = " ".join((platform.machine(), *OPTIONS, *more))
    key = hashlib.sha256(source.read_bytes() + options.encode()).hexdigest()
    path = folder / f"{source.stem}-{key[:16]}.so"
    try:
        ctypes.CDLL(str(path))
    except OSError:
        _compile(source, path, more)
        ctypes.CDLL(str(path))
    return path


def _compile(source: Path, path: Path, more: Sequence[str]) -> None:
    """Compile beside ``path`` and put it there whole: others may want it now."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        raise RuntimeError("no C compiler (cc, gcc) is here")
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=path.parent) as name:
        made = Path(name) / path.name
        command = [compiler, *OPTIONS, "-o", str(made), str(source), *more]
        try:
            result = subprocess.run(command, capture_output=True, text=True, timeout=60)
        except subprocess.TimeoutExpired as error:
            raise RuntimeError(f"{compiler} does not end") from error
        if result.returncode:
            raise RuntimeError(f"{compiler} failed: {(result.stderr.strip().splitlines() or ['it says nothing'])[-1]}")
        made.replace(path)
