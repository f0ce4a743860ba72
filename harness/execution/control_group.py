"""What a control group (cgroup v2) lets this process have of the processors, and how often that held it back."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

_GROUPS, _OWN = Path("/sys/fs/cgroup"), Path("/proc/self/cgroup")


def throttled(groups: Path = _GROUPS, own: Path = _OWN) -> dict[str, float]:
    """How often limits of our group, or of one that it is in, held processes back; nothing where none tells."""
    found = [float(count) for line in _lines(groups, own, "cpu.stat") if (count := _after("nr_throttled ", line))]
    return {"throttled": sum(found)} if found else {}


def cpu_limit(groups: Path = _GROUPS, own: Path = _OWN) -> dict[str, float]:
    """The time of processors, in processors, that our group may have, or one that it is in; nothing without a limit."""
    found = [line.split() for line in _lines(groups, own, "cpu.max")]
    limits = [int(quota) / int(period) for quota, period in found if quota != "max"]
    return {"cpu_limit": min(limits)} if limits else {}


def _lines(groups: Path, own: Path, name: str) -> Iterator[str]:
    """Of such a file of our group, and of all that it is in; of those that can be read."""
    try:
        ours = groups / own.read_text().rpartition("::/")[2].strip()
    except OSError:
        return
    for group in (ours, *ours.parents):
        if group.is_relative_to(groups):
            try:
                yield from (group / name).read_text().splitlines()
            except OSError:
                continue


def _after(key: str, line: str) -> str:
    return line.removeprefix(key) if line.startswith(key) else ""
