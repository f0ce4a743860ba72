"""Allocations as MXNet's profiler wrote them: the level of live bytes after each (``src/profiler/storage_profiler.h``).

Which array was freed is not told, and need not be: to a pool, arrays of one size are alike.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator

from harness.base.errors import InputError
from harness.gpu.allocation_trace import AllocationTrace

_LEVEL = re.compile(r'"args": \{ "Memory: ([^"]+)": (\d+) \}')
_STRAY = 0.01
"""Share of frees that may be of arrays from before the profiler began; with more, threads allocated at once."""


def trace(name: str, lines: Iterable[str]) -> AllocationTrace:
    """The trace of the device that comes first; InputError where levels do not follow from one another.

    Other devices' are left out, and named in ``others``.
    """
    events, waiting, stray = list[tuple[int, int]](), defaultdict[int, list[int]](list), 0
    others = dict[str, None]()
    for number, change in enumerate(_changes(lines, others)):
        if change > 0:
            waiting[change].append(number)
            events.append((number, change))
        elif waiting[-change]:
            events.append((waiting[-change].pop(), 0))
        else:
            stray += 1
    if not events:
        raise InputError(f"MXNet's profiler noted no allocation of {name}")
    if stray > _STRAY * len(events):
        raise InputError(f"{name} has {stray} frees of nothing that was allocated: threads allocate at once there")
    return AllocationTrace(name, events, tuple(others))


def _changes(lines: Iterable[str], others: dict[str, None]) -> Iterator[int]:
    """Of the level of live bytes of the first device; the ``others`` are noted, in order."""
    device, level = None, 0
    for found in filter(None, map(_LEVEL.search, lines)):
        device = device or found[1]
        if found[1] != device:
            others[found[1]] = None
            continue
        new = int(found[2])
        if new != level:
            yield new - level
        level = new
