"""Few sizes for most steps, and many that are rare: the n-th is as frequent as 1 / n ** exponent (Zipf, 1935)."""

from __future__ import annotations

from bisect import bisect_right
from functools import cached_property
from itertools import accumulate
from typing import Annotated, ClassVar, Literal

from pydantic import Field, model_validator

from harness.shapes import Distribution, SizeInt


class Zipf(Distribution):
    """Sizes from ``min``, the most frequent, to ``max``, the rarest."""

    name: ClassVar[str] = "zipf"
    distribution: Literal["zipf"]
    exponent: Annotated[float, Field(gt=0, le=10)] = 1.0
    min: SizeInt
    max: SizeInt

    @model_validator(mode="after")
    def _ordered(self) -> Zipf:
        if self.min > self.max:
            raise ValueError(f"min {self.min} is above max {self.max}")
        return self

    def draw(self, uniform: float) -> int:
        return self.min + min(bisect_right(self._shares, uniform * self._shares[-1]), len(self._shares) - 1)

    @cached_property
    def _shares(self) -> tuple[float, ...]:
        """How often a size up to each comes, without a common factor."""
        ranks = range(1, self.max - self.min + 2)
        return tuple(accumulate(rank**-self.exponent for rank in ranks))

    def extremes(self) -> tuple[int, int]:
        return self.min, self.max
