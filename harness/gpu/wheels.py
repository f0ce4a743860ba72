"""MXNet for GPUs from wheels: which wheel is built for which CUDA, and the libraries of NVIDIA's that it needs.

The wheel is linked with CUDA 11.2, which CUDA 11.8 and cuDNN 8 serve: minor versions are compatible, but for the PTX
that NVRTC 11.8 makes, which drivers before CUDA 11.8 do not take. Of NCCL any version 2 does, so that it can be chosen.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Mapping
from pathlib import Path

from harness.vocabulary.filled_in import LINKER

CUDA = "11"
WHEEL = "mxnet-cu112"
VERSIONS = ("1.8.0.post0", "1.9.0", "1.9.1")
"""Of MXNet, that there is such a wheel of."""

GIGABYTES = 4.0
"""On disk, of which half is loaded from the network."""

DEFAULT_NCCL, DEFAULT_CUDNN = "2.21.5", "8.9.6.50"
NCCL, CUDNN = "nvidia-nccl-cu11", "nvidia-cudnn-cu11"
PUBLISHED = {
    NCCL: ("2.21.5", "2.20.5", "2.19.3", "2.18.3", "2.16.5", "2.16.2", "2.15.5", "2.14.3", "2.13.4"),
    CUDNN: (
        *("8.9.6.50", "8.9.5.30", "8.9.4.25", "8.9.2.26", "8.9.1.23", "8.9.0.131", "8.8.1.3", "8.8.0.121"),
        *("8.7.0.84", "8.6.0.163", "8.5.0.96"),
    ),
}
"""Versions that PyPI has, newest first, of cuDNN those that are version 8: CUDA 11 gets no more of them."""
RUNTIME, NVRTC = "nvidia-cuda-runtime-cu11", "nvidia-cuda-nvrtc-cu11"
_LIBRARIES = {
    RUNTIME: "11.8.89",
    NVRTC: "11.8.89",
    "nvidia-nvtx-cu11": "11.8.86",
    "nvidia-cublas-cu11": "11.11.3.6",
    "nvidia-cufft-cu11": "10.9.0.58",
    "nvidia-curand-cu11": "10.3.0.86",
    "nvidia-cusolver-cu11": "11.4.1.48",
    "nvidia-cusparse-cu11": "11.7.5.86",
}
_PREFIX = "nvidia-"
DRIVER = "libcuda.so.1"
"""Of the driver: no wheel has it."""


def requirements(nccl: str | None, cudnn: str | None) -> tuple[str, ...]:
    """The wheels of NVIDIA's, each pinned."""
    chosen = {NCCL: nccl or DEFAULT_NCCL, CUDNN: cudnn or DEFAULT_CUDNN}
    return tuple(f"{name}=={version}" for name, version in {**_LIBRARIES, **chosen}.items())


def is_library(requirement: str) -> bool:
    """Whether it is one of NVIDIA's wheels, which are installed without what they ask for: all of it is here."""
    return requirement.startswith(_PREFIX)


def compiler(packages: Mapping[str, str]) -> tuple[int, int] | None:
    """The version of NVRTC among an environment's packages."""
    major, _, rest = packages.get(NVRTC, "").partition(".")
    minor = rest.partition(".")[0]
    return (int(major), int(minor)) if major.isdecimal() and minor.isdecimal() else None


def runtime(packages: Mapping[str, str]) -> str:
    """The version of CUDA's runtime among an environment's packages, or ""."""
    return packages.get(RUNTIME, "")


def has_driver(search: str = "") -> bool:
    """Whether the dynamic linker finds the driver's library, or one of the folders of an ``LD_LIBRARY_PATH`` has it."""
    if any((Path(folder) / DRIVER).exists() for folder in search.split(":") if folder):
        return True
    try:
        ctypes.CDLL(DRIVER)
    except OSError:
        return False
    return True


def library_path(environment: Path) -> dict[str, str]:
    """Where the dynamic linker finds NVIDIA's libraries of an environment, before those of the shell."""
    own = [str(folder) for folder in folders(environment)]
    return {LINKER: ":".join([*own, *filter(None, [os.environ.get(LINKER)])])} if own else {}


def folders(environment: Path) -> list[Path]:
    """Where an environment's libraries of NVIDIA's lie, for ``LD_LIBRARY_PATH``; none without them."""
    return sorted(environment.glob("lib/python*/site-packages/nvidia/*/lib"))
