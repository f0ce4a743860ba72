"""Where memory lies: moved by as many pages as the plan says, where sides take turns (`harness/planning/twins.py`)."""

import ctypes
import mmap
import os

_HEAP_PAGES = 1 << 14
"""The heap is moved by less than so many: it counts as data that is written (RLIMIT_DATA), and is never touched."""

_held = None
"""For as long as the process lives."""


def move():
    """Take addresses that nothing uses: what is mapped later lies below them, and what is on the heap above."""
    global _held
    pages = os.environ.pop("HARNESS_SHIFT", None)
    if pages is None:
        return
    private, nothing = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, 0
    try:
        _held = mmap.mmap(-1, int(pages) * mmap.PAGESIZE, flags=private, prot=nothing)
    except OSError:
        pass  # a limit of address space (RLIMIT_AS) that somebody has set
    ctypes.CDLL(None).sbrk(ctypes.c_long(int(pages) % _HEAP_PAGES * mmap.PAGESIZE))
