"""What the kernel says of a process."""

from __future__ import annotations

import time
from contextlib import suppress
from pathlib import Path

STOPPED = frozenset("T")
RUNNING = frozenset("RSDZX") | {""}
GONE = frozenset(("", "Z", "X"))
"""States as `state` gives them."""

SETTLE_SECONDS = 0.5
_SLICE = 0.0002


def state(pid: int) -> str:
    """The state letter of ``/proc/<pid>/stat``; "" when there is no such process."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return ""
    return text[text.rindex(")") + 2]


def descendants(pid: int) -> set[int]:
    """All that it started, and what these started, as far as they are there."""
    parents = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):  # it ended meanwhile
            text = path.read_text()
            parents[int(path.parent.name)] = int(text[text.rindex(")") + 2 :].split()[1])
    found, new = set[int](), {pid}
    while new:
        new = {child for child, parent in parents.items() if parent in new} - found
        found |= new
    return found


def settled(pid: int, wanted: frozenset[str], within: float = SETTLE_SECONDS) -> str:
    """The state once it is one of ``wanted``, or whatever it is when ``within`` seconds are over."""
    deadline = time.monotonic() + within
    while (now := state(pid)) not in wanted and time.monotonic() < deadline:
        time.sleep(_SLICE)
    return now


def processor_seconds(pid: int) -> tuple[float, float]:
    """Seconds that the threads of a process were on a processor, and that they waited for one (``schedstat``)."""
    ran = waited = 0
    for stat in Path(f"/proc/{pid}/task").glob("*/schedstat"):
        with suppress(OSError):  # a thread that ended meanwhile
            on, off, _ = stat.read_text().split()
            ran, waited = ran + int(on), waited + int(off)
    return ran / 1e9, waited / 1e9


def environment(pid: int) -> dict[str, str]:
    """The environment with which a process was started; empty when it is gone."""
    try:
        pairs = Path(f"/proc/{pid}/environ").read_bytes().decode(errors="replace").split("\0")
    except OSError:
        return {}
    return dict(pair.split("=", 1) for pair in pairs if "=" in pair)


def data_limit(pid: int) -> tuple[int | None, int]:
    """The soft limit of private memory in bytes (None: unlimited) and what the process holds of it (VmData)."""
    limits = Path(f"/proc/{pid}/limits").read_text()
    soft = next(line for line in limits.splitlines() if line.startswith("Max data size")).split()[3]
    status = Path(f"/proc/{pid}/status").read_text()
    held = next((line for line in status.splitlines() if line.startswith("VmData:")), "VmData: 0 kB").split()[1]
    return None if soft == "unlimited" else int(soft), int(held) * 1024
