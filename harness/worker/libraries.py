"""What this process has really loaded of OpenBLAS and NVIDIA's libraries, and of its pool, as they say."""

import ctypes
import re

_MAPPED = re.compile(r"(/.*/lib(cudart|nccl|cudnn|openblas)(?:p?-r[\d.]+)?\.so[.\d]*)$", re.M)
"""numpy's own OpenBLAS has letters behind its ``-r``."""


_POOL = "MXNET_GPU_MEM_"
_OF_POOL = ("POOL_TYPE", "POOL_PAGE_SIZE", "LARGE_ALLOC_ROUND_SIZE", "POOL_ROUND_LINEAR_CUTOFF", "POOL_RESERVE")


def pool_settings(mx):
    """Variables of the pool that are set, as MXNet's library reads them (`MXGetEnv`); none where it is older than that.

    They are what a pool is made with when the first array is.
    """
    read = getattr(mx.util, "getenv", None)
    if read is None:
        return {}
    return {_POOL + name: value for name, value in ((name, read(_POOL + name)) for name in _OF_POOL) if value}


def versions():
    """``{"nccl": "2.21.5"}`` and so on; what is not loaded, or does not say, is left out."""
    with open("/proc/self/maps") as file:
        mapped = {match.group(2): match.group(1) for match in _MAPPED.finditer(file.read())}
    asked = {"cuda": _of("cudart", mapped, _cuda), "nccl": _of("nccl", mapped, _nccl)}
    asked.update(cudnn=_of("cudnn", mapped, _cudnn), openblas=_of("openblas", mapped, _openblas))
    return {name: version for name, version in asked.items() if version}


def _of(name, mapped, ask):
    try:
        return ask(ctypes.CDLL(mapped[name])) if name in mapped else None
    except (OSError, AttributeError):
        return None


def _cuda(library):
    number = ctypes.c_int()
    if library.cudaRuntimeGetVersion(ctypes.byref(number)):
        return None
    return "%d.%d" % (number.value // 1000, number.value % 1000 // 10)


def _nccl(library):
    """2.9 and later count in ten thousands, older ones in thousands (`nccl.h`, NCCL_VERSION)."""
    number = ctypes.c_int()
    if library.ncclGetVersion(ctypes.byref(number)) or not number.value:
        return None
    major = 10000 if number.value >= 10000 else 1000
    return "%d.%d.%d" % (number.value // major, number.value % major // 100, number.value % 100)


def _cudnn(library):
    library.cudnnGetVersion.restype = ctypes.c_size_t
    number = library.cudnnGetVersion()
    return "%d.%d.%d" % (number // 1000, number % 1000 // 100, number % 100) if number else None


def _openblas(library):
    """As in ``0.3.13 for Haswell``, by whose kernels it computes; older ones tell no version."""
    for function in (library.openblas_get_config, library.openblas_get_corename):
        function.restype = ctypes.c_char_p
    version = re.match(r"OpenBLAS (\S+)", library.openblas_get_config().decode())
    core = library.openblas_get_corename().decode()
    return "%s for %s" % (version.group(1), core) if version else "for %s" % core
