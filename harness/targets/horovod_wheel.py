"""Horovod for a target: compiled against its very MXNet once, and kept as a wheel."""

from __future__ import annotations

import re
import shutil
from collections.abc import Sequence
from pathlib import Path

from harness.base.errors import TargetError
from harness.gpu import wheels
from harness.targets.build_step import Pip, Say

DEFAULT = "0.28.1"
COMPILERS = ("cmake", "g++", "make")
NEEDS = ("setuptools<70", "wheel", "cffi", "cloudpickle", "psutil", "pyyaml", "packaging")
"""What its build and its Python part need; its sdist does not say so in time for a build without isolation."""

_BUILD = {
    "HOROVOD_WITH_MXNET": "1",
    "HOROVOD_WITH_GLOO": "1",
    "HOROVOD_WITHOUT_MPI": "1",
    "HOROVOD_WITHOUT_PYTORCH": "1",
    "HOROVOD_WITHOUT_TENSORFLOW": "1",
    "PIP_NO_CACHE_DIR": "1",  # pip would take a wheel that was built for another MXNet
}


def require_compilers(horovod: str, for_gpus: bool) -> None:
    """TargetError where one is missing."""
    missing = [tool for tool in (*COMPILERS, *(["nvcc"] if for_gpus else [])) if shutil.which(tool) is None]
    if "nvcc" in missing:
        raise TargetError(
            f"{horovod} with NCCL is compiled by nvcc, which is not on the path; install the CUDA toolkit 11"
        )
    if missing:
        raise TargetError(f"{horovod} is built from source and needs {', '.join(missing)}; install them, as with apt")


def install(horovod: str, pip: Pip, kept: Path, say: Say) -> None:
    """Install it from the wheel that is ``kept`` for this target, built first where there is none."""
    pip.run("install", "--quiet", *NEEDS)
    if not built(kept):
        _build(horovod, pip, kept, say)
    pip.run("install", "--quiet", *map(str, built(kept)))


def built(kept: Path) -> Sequence[Path]:
    """What was compiled before."""
    return list(kept.glob("*.whl"))


def _build(horovod: str, pip: Pip, kept: Path, say: Say) -> None:
    """Compile against the MXNet in the environment; the wheel appears whole or not at all."""
    say(f"compiling {horovod} for {pip.target} (one to three minutes, once)")
    beside = kept.with_name(f".building-{kept.name}")
    shutil.rmtree(beside, ignore_errors=True)
    beside.mkdir(parents=True)
    words = ("wheel", "-v", "--no-deps", "--no-build-isolation", horovod, "--wheel-dir", str(beside))
    try:
        pip.run(*words, more={**_BUILD, **_with_nccl(pip.place)}, note=_percentages(horovod, say))
        beside.rename(kept)
    finally:
        shutil.rmtree(beside, ignore_errors=True)


def _with_nccl(place: Path) -> dict[str, str]:
    """What Horovod's build needs for operations on GPUs; nothing where the environment has no NCCL.

    Untested: no machine had nvcc 11 and a GPU that the wheel is for.
    """
    folder = next(place.glob("lib/python*/site-packages/nvidia/nccl"), None)
    if folder is None:
        return {}
    found = {"HOROVOD_NCCL_HOME": str(folder), "HOROVOD_NCCL_LINK": "SHARED"}  # wheels have no static library
    return {"HOROVOD_GPU_OPERATIONS": "NCCL", **found, **wheels.library_path(place)}


def _percentages(horovod: str, say: Say) -> Say:
    """Says how far cmake has come, every tenth part of the way."""
    told_percent = 0

    def note(line: str) -> None:
        nonlocal told_percent
        match = re.match(r"\s*\[\s*(\d+)%\]", line)
        if match and int(match[1]) >= told_percent + 10:
            told_percent = int(match[1]) // 10 * 10
            say(f"compiling {horovod}: {told_percent} %")

    return note
