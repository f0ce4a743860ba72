"""Sizes from a list, as bucketing gives them."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import Field, model_validator

from harness.shapes import Distribution, SizeInt


class Choice(Distribution):
    """One of ``values``, each as likely as its weight (all alike without ``weights``)."""

    name: ClassVar[str] = "choice"
    distribution: Literal["choice"]
    values: Annotated[tuple[SizeInt, ...], Field(min_length=1, max_length=1000)]
    weights: tuple[Annotated[float, Field(gt=0)], ...] | None = None

    @model_validator(mode="after")
    def _paired(self) -> Choice:
        if self.weights is not None and len(self.weights) != len(self.values):
            raise ValueError(f"{len(self.weights)} weights for {len(self.values)} values")
        return self

    def draw(self, uniform: float) -> int:
        weights = self.weights or (1.0,) * len(self.values)
        left = uniform * sum(weights)
        for value, weight in zip(self.values, weights, strict=True):
            left -= weight
            if left < 0:
                return value
        return self.values[-1]

    def extremes(self) -> tuple[int, int]:
        return min(self.values), max(self.values)
