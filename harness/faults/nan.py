"""A gradient that is no number: an overflow, a bad sample, a broken kernel."""

from __future__ import annotations

from typing import ClassVar

from harness.faults import Element, TensorFault


class Nan(TensorFault):
    """One element of one gradient becomes NaN."""

    name: ClassVar[str] = "nan"
    element: Element = 0
