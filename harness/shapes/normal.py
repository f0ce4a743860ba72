"""Sizes around a mean, as far above it as below."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import Field, model_validator

from harness.shapes import Distribution, SizeInt, standard_normal


class Normal(Distribution):
    """``mean + sd × normal``, rounded and held within ``min`` and ``max``."""

    name: ClassVar[str] = "normal"
    distribution: Literal["normal"]
    mean: SizeInt
    sd: Annotated[float, Field(gt=0)]
    min: SizeInt
    max: SizeInt

    @model_validator(mode="after")
    def _ordered(self) -> Normal:
        if not self.min <= self.mean <= self.max:
            raise ValueError(f"mean {self.mean} is not between min {self.min} and max {self.max}")
        return self

    def draw(self, uniform: float) -> int:
        return min(max(round(self.mean + self.sd * standard_normal(uniform)), self.min), self.max)
