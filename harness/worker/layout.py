"""Where memory lies: moved by as many pages as the plan says, where sides take turns (`harness/planning/twins.py`)."""

import mmap
import os

_kept = []
"""For as long as the process lives."""


def move():
    """Take addresses that nothing uses, from which the kernel goes on: all that is mapped later lies below them."""
    pages = os.environ.pop("HARNESS_SHIFT", None)
    if pages is None:
        return
    private, nothing = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, 0
    try:
        _kept.append(mmap.mmap(-1, int(pages) * mmap.PAGESIZE, flags=private, prot=nothing))
    except OSError:
        pass  # a limit of address space (RLIMIT_AS) that somebody has set
