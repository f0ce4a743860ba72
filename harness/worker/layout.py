"""Where memory lies: moved by as many pages as the plan says, where sides take turns (`harness/planning/twins.py`)."""

import ctypes
import mmap
import os

_AS_IT_IS, _ADDR_NO_RANDOMIZE = 0xFFFFFFFF, 0x0040000
"""Of personality(2), as the agent sets it (`harness/base/process.py`)."""

_HUGE_PAGE = 1 << 21
"""Kernels map at multiples of it what is a multiple of it long, and leave a hole above; some, all that is longer."""

_FAILED = ctypes.c_void_p(-1).value


def move():
    """Take addresses that nothing uses: what is mapped later lies below them, and what is on the heap above.

    Not where the kernel draws addresses all the same. What this process starts has drawn ones: it moves nothing.
    """
    pages = os.environ.pop("HARNESS_SHIFT", None)
    if pages is None:
        return
    libc = ctypes.CDLL(None)
    flags = libc.personality(ctypes.c_ulong(_AS_IT_IS))
    if flags < 0 or not flags & _ADDR_NO_RANDOMIZE:
        return
    libc.personality(ctypes.c_ulong(flags & ~_ADDR_NO_RANDOMIZE))
    mapped, heap = (int(number) * mmap.PAGESIZE for number in pages.split())
    _reserve(libc, mapped)
    trim = getattr(libc, "malloc_trim", None)  # glibc's
    if trim is not None:
        trim(ctypes.c_size_t(0))  # else what is free at its end would be used first
    libc.sbrk(ctypes.c_long(heap))


def _reserve(libc, size):
    """So many bytes, from above; nothing where that is refused."""
    libc.mmap.restype = ctypes.c_void_p
    whole = -(-size // _HUGE_PAGE) * _HUGE_PAGE + mmap.PAGESIZE
    private, nobody = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, 0
    length, nowhere = ctypes.c_size_t(whole), ctypes.c_void_p(None)
    where = libc.mmap(nowhere, length, nobody, private, -1, ctypes.c_long(0))
    if where != _FAILED:
        libc.munmap(ctypes.c_void_p(where), ctypes.c_size_t(whole - size))
