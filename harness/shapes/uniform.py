"""Every size between two bounds is equally likely."""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import model_validator

from harness.shapes import Distribution, SizeInt


class Uniform(Distribution):
    """Sizes from ``min`` to ``max``, both included."""

    name: ClassVar[str] = "uniform"
    distribution: Literal["uniform"]
    min: SizeInt
    max: SizeInt

    @model_validator(mode="after")
    def _ordered(self) -> Uniform:
        if self.min > self.max:
            raise ValueError(f"min {self.min} is above max {self.max}")
        return self

    def draw(self, uniform: float) -> int:
        return self.min + int(uniform * (self.max - self.min + 1))
