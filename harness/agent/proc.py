"""What the kernel says of a process."""

from __future__ import annotations

import time
from pathlib import Path

SETTLE_SECONDS = 0.5
_SLICE = 0.0002


def state(pid: int) -> str:
    """The state letter of ``/proc/<pid>/stat``; "" when there is no such process."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return ""
    return text[text.rindex(")") + 2]


def settled(pid: int, wanted: frozenset[str], within: float = SETTLE_SECONDS) -> str:
    """The state once it is one of ``wanted``, or whatever it is when ``within`` seconds are over."""
    deadline = time.monotonic() + within
    while (now := state(pid)) not in wanted and time.monotonic() < deadline:
        time.sleep(_SLICE)
    return now
