"""Many sizes near the median and a long tail of large ones, as sentences and recordings have."""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import Annotated, ClassVar, Literal

from pydantic import Field, model_validator

from harness.shapes import Distribution, SizeInt


class Lognormal(Distribution):
    """``median × exp(sigma × normal)``, rounded to a multiple of ``round_to``, then held within ``min`` and ``max``."""

    name: ClassVar[str] = "lognormal"
    distribution: Literal["lognormal"]
    median: SizeInt
    sigma: Annotated[float, Field(gt=0, le=5)]
    min: SizeInt
    max: SizeInt
    round_to: SizeInt = 1

    @model_validator(mode="after")
    def _ordered(self) -> Lognormal:
        if not self.min <= self.median <= self.max:
            raise ValueError(f"median {self.median} is not between min {self.min} and max {self.max}")
        return self

    def draw(self, uniform: float) -> int:
        normal = NormalDist().inv_cdf(min(max(uniform, 1e-12), 1 - 1e-12))
        size = self.median * math.exp(self.sigma * normal)
        rounded = round(size / self.round_to) * self.round_to
        return min(max(rounded, self.min), self.max)
