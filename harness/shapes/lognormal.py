"""Many sizes near the median and a long tail of large ones, as sentences and recordings have."""

from __future__ import annotations

import math
from typing import Annotated, ClassVar, Literal

from pydantic import Field, model_validator

from harness.shapes import Distribution, SizeInt, standard_normal


class Lognormal(Distribution):
    """``median × exp(sigma × normal)``, rounded and held within ``min`` and ``max``."""

    name: ClassVar[str] = "lognormal"
    distribution: Literal["lognormal"]
    median: SizeInt
    sigma: Annotated[float, Field(gt=0, le=5)]
    min: SizeInt
    max: SizeInt

    @model_validator(mode="after")
    def _ordered(self) -> Lognormal:
        if not self.min <= self.median <= self.max:
            raise ValueError(f"median {self.median} is not between min {self.min} and max {self.max}")
        return self

    def draw(self, uniform: float) -> int:
        size = self.median * math.exp(self.sigma * standard_normal(uniform))
        return min(max(round(size), self.min), self.max)
