"""Requests to stop: Ctrl-C, SIGTERM, a closed terminal."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from harness.base import process

_STOPPING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Interruption:
    """Whether the user or the system asked us to stop, and by which signal."""

    def __init__(self) -> None:
        self.signal: int | None = None

    @property
    def name(self) -> str:
        """As in SIGINT; "" where nobody asked."""
        return "" if self.signal is None else signal.Signals(self.signal).name

    def _note(self, number: int, _: FrameType | None) -> None:
        self.signal = number
        process.stop_answers()

    @contextmanager
    def watched(self) -> Iterator[Interruption]:
        """Take note of signals instead of dying of them, until the block ends. For the main thread only.

        Those that are ignored, as HUP under nohup, stay ignored.
        """
        heeded = [number for number in _STOPPING if signal.getsignal(number) is not signal.SIG_IGN]
        old = {number: signal.signal(number, self._note) for number in heeded}
        try:
            yield self
        finally:
            for number, handler in old.items():
                signal.signal(number, handler)
