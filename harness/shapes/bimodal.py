"""Two kinds of sizes in one stream: short messages and long documents, thumbnails and photographs."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import Field, model_validator

from harness.shapes import Distribution, SizeInt, standard_normal


class Bimodal(Distribution):
    """Normal around ``high`` for the share ``share`` of the steps and around ``low`` for the others.

    Both have the standard deviation ``sd``; all are rounded and held within ``min`` and ``max``.
    """

    name: ClassVar[str] = "bimodal"
    distribution: Literal["bimodal"]
    low: SizeInt
    high: SizeInt
    share: Annotated[float, Field(gt=0, lt=1)] = 0.5
    sd: Annotated[float, Field(gt=0)]
    min: SizeInt
    max: SizeInt

    @model_validator(mode="after")
    def _ordered(self) -> Bimodal:
        if not self.min <= self.low < self.high <= self.max:
            raise ValueError(f"low {self.low} and high {self.high} are not in order between {self.min} and {self.max}")
        return self

    def draw(self, uniform: float) -> int:
        """One uniform number decides both: which kind, and what is left of it, where in that kind."""
        low = 1 - self.share
        if uniform < low:
            centre, within = self.low, uniform / low
        else:
            centre, within = self.high, (uniform - low) / self.share
        return min(max(round(centre + self.sd * standard_normal(within)), self.min), self.max)

    def extremes(self) -> tuple[int, int]:
        """Those of its bounds: the kinds may overlap."""
        return self.min, self.max
