"""What else happened to this machine while a run was measured: time that others took, or that nobody gave us."""

from __future__ import annotations

import math
import os
import time
from pathlib import Path
from statistics import median
from typing import Any

import psutil

from harness.execution import control_group

_PRESSURE = Path("/proc/pressure/cpu")

CLOCK_SECONDS = 1.0
"""How often clocks are read, at most."""


class Disturbance:
    """Counts from when it is made."""

    def __init__(self) -> None:
        self._before = _counts()
        self._clocks: list[list[float]] = []
        self._looked = -math.inf

    def look(self) -> None:
        """Read the processors' clocks, now and then, while something runs: those of idle ones say nothing."""
        now = time.monotonic()
        if now - self._looked >= CLOCK_SECONDS:
            self._looked = now
            self._clocks.append([each.current for each in psutil.cpu_freq(percpu=True) or []])

    def facts(self) -> dict[str, Any]:
        """Since then, as shares of the time of our processors: what others used, and what the hypervisor took (steal).

        ``waited``: of the time, in which something that could run had to wait (`/proc/pressure/cpu`). ``throttled``:
        how often the limit of a control group held processes back. ``mhz``: the median of each processor's clock.
        """
        before, after = self._before, _counts()
        seconds = max(after["total"] - before["total"], 1e-9)
        others = after["busy"] - before["busy"] - (after["own"] - before["own"])
        return {
            "used_by_others": round(max(0.0, others / seconds), 4),
            "stolen": round((after["stolen"] - before["stolen"]) / seconds, 4),
            "waited": _share(before, after),
            "throttled": _difference(before, after, "throttled"),
            "mhz": [round(median(each)) for each in zip(*self._clocks, strict=False)] or "not available",
        }


def _counts() -> dict[str, float]:
    allowed = os.sched_getaffinity(0)
    every = psutil.cpu_times(percpu=True)
    ours = [times for cpu, times in enumerate(every) if cpu in allowed] or every
    total = sum(sum(times[:8]) for times in ours)  # guest time is in user time already
    stolen = sum(getattr(times, "steal", 0.0) for times in ours)
    return {
        "total": total,
        "stolen": stolen,
        "busy": total - stolen - sum(times.idle + times.iowait for times in ours),
        "own": sum(os.times()[:4]),
        "clock": time.monotonic(),
        **_number(_PRESSURE, "waited", "total="),
        **control_group.throttled(),
    }


def _number(path: Path, name: str, key: str) -> dict[str, float]:
    """The number after the first ``key`` in a file; nothing where there is none."""
    try:
        return {name: float(path.read_text().partition(key)[2].split()[0])}
    except (OSError, LookupError, ValueError):
        return {}


def _share(before: dict[str, float], after: dict[str, float]) -> float | str:
    waited = _difference(before, after, "waited")
    seconds = max(after["clock"] - before["clock"], 1e-9)
    return waited if isinstance(waited, str) else round(waited / 1e6 / seconds, 4)


def _difference(before: dict[str, float], after: dict[str, float], name: str) -> float | str:
    return after[name] - before[name] if name in before and name in after else "not available"
