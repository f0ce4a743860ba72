"""Series of any length in bounded memory."""

from __future__ import annotations

import random
from collections.abc import Sequence

CAPACITY = 4096


class BoundedSeries:
    """Values in order; when ``capacity`` is reached, neighbours are averaged and later values join in larger groups.

    ``stride`` values make one point, so a series of windows becomes one of longer windows: the mean is kept, the
    spread shrinks as it would have with longer windows.
    """

    def __init__(self, capacity: int = CAPACITY) -> None:
        self._capacity = capacity
        self._points: list[float] = []
        self._sum, self._pending = 0.0, 0
        self.stride = 1
        self.count = 0

    def add(self, value: float) -> None:
        """Append one value."""
        self.count += 1
        self._sum += value
        self._pending += 1
        if self._pending == self.stride:
            self._close()

    def extend(self, values: Sequence[float]) -> None:
        """Append values, as one after the other."""
        at = 0
        while at < len(values):
            part, total = values[at : at + self.stride - self._pending], self._sum
            for value in part:
                total += value
            self._sum, self._pending, at = total, self._pending + len(part), at + len(part)
            if self._pending == self.stride:
                self._close()
        self.count += at

    def _close(self) -> None:
        """Make a point of what is pending, and halve the points where there are too many."""
        self._points.append(self._sum / self.stride)
        self._sum, self._pending = 0.0, 0
        if len(self._points) >= self._capacity:
            pairs = zip(self._points[0::2], self._points[1::2], strict=True)
            self._points = [(first + second) / 2 for first, second in pairs]
            self.stride *= 2

    def truncate(self, count: int) -> None:
        """Forget all but the first ``count`` values; what is left of a divided group counts with its mean."""
        if count >= self.count:
            return
        whole, rest = divmod(count, self.stride)
        if whole < len(self._points):
            self._sum = self._points[whole] * rest
        else:
            self._sum *= rest / self._pending
        del self._points[whole:]
        self._pending, self.count = rest, count

    @property
    def points(self) -> Sequence[float]:
        """Means of ``stride`` values each; an unfinished group is left out."""
        return self._points


def coarsened(points: Sequence[float], by: int) -> Sequence[float]:
    """Means of ``by`` neighbours each; an unfinished group is left out."""
    return [sum(points[at : at + by]) / by for at in range(0, len(points) - by + 1, by)]


class Reservoir:
    """A uniform sample of at most ``capacity`` values, the same each time for the same values (Vitter, 1985)."""

    def __init__(self, capacity: int = CAPACITY) -> None:
        self._capacity = capacity
        self._random = random.Random(0)
        self.values: list[float] = []
        self.count = 0

    def add(self, value: float) -> None:
        """Offer one value."""
        self.count += 1
        if len(self.values) < self._capacity:
            self.values.append(value)
            return
        index = self._random.randrange(self.count)
        if index < self._capacity:
            self.values[index] = value
