"""A bit of a gradient flips: bad memory, a cosmic ray."""

from __future__ import annotations

from typing import Annotated, ClassVar

from pydantic import Field

from harness.faults import Element, TensorFault


class BitFlip(TensorFault):
    """One bit of one element of one gradient flips."""

    name: ClassVar[str] = "bit_flip"
    element: Element = 0
    bit: Annotated[int, Field(ge=0, le=31, strict=True)] = Field(
        description="0 is the lowest of the mantissa; of float32, 23 to 30 are the exponent, and 31 is the sign"
    )
