"""Whether something else computes on this machine, whose time is then in the numbers."""

from __future__ import annotations

import os

import psutil

BUSY = 0.25
"""Of all processors, beyond which we warn."""


class Company:
    """Counts from when it is made, so that what we do anyway is the time to look."""

    def __init__(self) -> None:
        self._busy, self._total = _processors()
        self._own = _own()

    def share(self) -> float:
        """The part of all processors that others used since then."""
        busy, total = _processors()
        others = busy - self._busy - (_own() - self._own)
        return max(0.0, others / max(total - self._total, 1e-9))


def _processors() -> tuple[float, float]:
    """Seconds that all processors were busy, and in all."""
    times = psutil.cpu_times()
    total = sum(times[:8])  # guest time is in user time already
    return total - times.idle - times.iowait, total


def _own() -> float:
    """Processor seconds of this process and of its children that are gone."""
    return sum(os.times()[:4])
