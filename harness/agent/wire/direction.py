"""One direction of a link: when does a packet that enters now leave? Pure; time is given."""

from __future__ import annotations

from collections import deque
from random import Random

from harness.instructions import Direction


class Lane:
    """Carries packets one after the other at ``bandwidth``, then delays each; those beyond ``queue`` are dropped.

    The time at which the lane is free again is reckoned, not observed, so that late wake-ups of the wire do not add up.
    """

    def __init__(self, shape: Direction, random: Random) -> None:
        self._bandwidth, self._latency, self._jitter = shape.bandwidth, shape.latency, shape.jitter
        self._queue, self._random = shape.queue, random
        self._free_at = self._last_exit = 0.0
        self._waiting: deque[float] = deque()
        self.plain = shape.bandwidth is None and shape.latency == 0.0
        self.bytes = self.packets = self.dropped = 0

    def transit(self, now: float, size: int) -> float | None:
        """When a packet of ``size`` bytes leaves that enters at ``now``; None when the queue is full."""
        through = now
        if self._bandwidth is not None:
            waiting = self._waiting
            while waiting and waiting[0] <= now:
                waiting.popleft()
            if len(waiting) >= self._queue:
                self.dropped += 1
                return None
            through = self._free_at = max(now, self._free_at) + size * 8 / self._bandwidth
            waiting.append(through)
        self.bytes += size
        self.packets += 1
        return self._delayed(through)

    def _delayed(self, through: float) -> float:
        """A packet never overtakes the one before it."""
        delay = self._latency
        if self._jitter:
            delay += self._random.uniform(-self._jitter, self._jitter)
        self._last_exit = max(self._last_exit, through + delay)
        return self._last_exit
