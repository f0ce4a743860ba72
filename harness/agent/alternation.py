"""Processes that run in slices of time: stopped and continued at the edges of these."""

from __future__ import annotations

import signal
import time
from collections.abc import Iterable

from harness.agent.children import Child
from harness.base.process import tighten_timers
from harness.vocabulary.slices import Slices

EARLY_SECONDS = 0.0015
"""A selector wakes up by whole milliseconds; what is left is slept."""


class Alternation:
    """Stops and continues all processes of a job."""

    def __init__(self, slices: Slices) -> None:
        self._slices, self._running = slices, True
        self._edge = 0.0
        tighten_timers()

    @property
    def due(self) -> float:
        """When to wake up for what comes next."""
        return self._edge - EARLY_SECONDS

    def turn(self, children: Iterable[Child]) -> None:
        """Do what is due; sleep until an edge that is near."""
        now = time.monotonic()
        if now < self.due:
            return
        if now < self._edge:
            time.sleep(self._edge - now)
            now = time.monotonic()
        if (runs := self._slices.ours(now)) != self._running:
            self._signal(children, runs)
        self._edge = self._slices.next_edge(now)

    def _signal(self, children: Iterable[Child], runs: bool) -> None:
        for child in children:
            child.signal(signal.SIGCONT if runs else signal.SIGSTOP)
        self._running = runs
