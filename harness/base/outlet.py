"""Writing to a pipe whose other end may be stuck: never waits, keeps what does not go, and gives up in time."""

from __future__ import annotations

import os
import time

from harness.base.errors import StuckError

LARGEST_BACKLOG = 64 << 20
"""Bytes."""


class Outlet:
    """One descriptor to write to. Call ``flush`` when it is writable, and ``check`` now and then.

    StuckError where more than `LARGEST_BACKLOG` waits, or the other side has taken nothing for ``patience`` seconds.
    BrokenPipeError when there is no other side.
    """

    def __init__(self, descriptor: int, whose: str, patience: float) -> None:
        os.set_blocking(descriptor, False)
        self.descriptor = descriptor
        self._whose, self._patience = whose, patience
        self._waiting = bytearray()
        self._moved = 0.0

    @property
    def backlog(self) -> int:
        """Bytes that wait."""
        return len(self._waiting)

    def write(self, data: bytes) -> None:
        """Write what goes now, and keep the rest."""
        if not self._waiting:
            self._moved = time.monotonic()
            data = data[self._pass(data) :]
        self._waiting += data
        if len(self._waiting) > LARGEST_BACKLOG:
            raise StuckError(f"{self._whose} leaves {len(self._waiting)} bytes unread")

    def flush(self) -> None:
        """Write as much as goes now."""
        if written := self._pass(self._waiting):
            self._moved = time.monotonic()
            del self._waiting[:written]

    def check(self) -> None:
        """Look whether the other side still takes anything."""
        if self._waiting and time.monotonic() - self._moved > self._patience:
            raise StuckError(f"{self._whose} has read nothing for {self._patience:g} s")

    def finish(self, seconds: float) -> None:
        """Try for a while to get rid of the rest, whoever may be at the other end."""
        until = time.monotonic() + seconds
        while self._waiting and time.monotonic() < until:
            self.flush()
            if self._waiting:
                time.sleep(0.005)

    def _pass(self, data: bytes | bytearray) -> int:
        try:
            return os.write(self.descriptor, data) if data else 0
        except BlockingIOError:
            return 0
