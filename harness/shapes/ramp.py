"""Sizes that grow (or shrink) in the course of training, as in a curriculum or progressive resizing."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import Field, model_validator

from harness.shapes import Distribution, SizeInt


class Ramp(Distribution):
    """From ``first`` to ``last``, evenly over so many steps, and from ``first`` again."""

    name: ClassVar[str] = "ramp"
    distribution: Literal["ramp"]
    first: SizeInt
    last: SizeInt
    over: Annotated[int, Field(ge=2, le=10_000, strict=True)] = Field(description="steps")

    @model_validator(mode="after")
    def _moves(self) -> Ramp:
        if self.first == self.last:
            raise ValueError(f"first and last are both {self.first}; use distribution: fixed")
        return self

    def draw(self, uniform: float) -> int:
        return round(self.first + uniform * (self.last - self.first))

    def extremes(self) -> tuple[int, int]:
        return min(self.first, self.last), max(self.first, self.last)

    def drawn(self, seed: int, steps: int) -> tuple[int, ...]:
        """One size a step, not drawn at all."""
        return tuple(self.draw(step / (self.over - 1)) for step in range(min(steps, self.over)))
