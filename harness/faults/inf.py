"""A gradient that is infinite: an overflow."""

from __future__ import annotations

from typing import ClassVar

from harness.faults import Element, TensorFault


class Inf(TensorFault):
    """One element of one gradient becomes infinite."""

    name: ClassVar[str] = "inf"
    element: Element = 0
