"""Every batch has the same size."""

from __future__ import annotations

from typing import ClassVar, Literal

from harness.shapes import Distribution, SizeInt


class Fixed(Distribution):
    """Every batch has the size ``value``."""

    name: ClassVar[str] = "fixed"
    distribution: Literal["fixed"]
    value: SizeInt

    def draw(self, uniform: float) -> int:
        return self.value
