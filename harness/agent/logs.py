"""Logs of processes that print without end: their head and their tail are kept, and how much was cut between."""

from __future__ import annotations

import time
from pathlib import Path

LARGEST = 32 << 20
HEAD = TAIL = 4 << 20
"""Bytes of a log that has become larger than `LARGEST`."""

LOOK_SECONDS = 0.5


class Logs:
    """Files that processes append to. ``trim`` cuts those that have become too large, when ``due`` has come."""

    def __init__(self) -> None:
        self._paths: dict[str, None] = {}
        self.due = float("inf")

    def watch(self, path: str) -> None:
        """Look after a file from now on."""
        self._paths[path] = None
        self.due = min(self.due, time.monotonic() + LOOK_SECONDS)

    def trim(self) -> None:
        """Look at all files, if it is time."""
        if time.monotonic() < self.due:
            return
        for path in self._paths:
            _trim(path)
        self.due = time.monotonic() + LOOK_SECONDS


def _trim(path: str) -> None:
    """Who appends meanwhile goes on behind the tail."""
    try:
        size = Path(path).stat().st_size
        if size <= LARGEST:
            return
        with open(path, "r+b") as file:
            file.seek(size - TAIL)
            tail = file.read()
            file.truncate(HEAD)
        with open(path, "ab") as file:
            file.write(b"\n[the harness cut about %d bytes here]\n" % (size - HEAD - TAIL) + tail)
    except FileNotFoundError:
        return
