"""A gradient is lost: a layer that was frozen by mistake."""

from __future__ import annotations

from typing import ClassVar

from harness.faults import TensorFault


class ZeroGradient(TensorFault):
    """Every element of one gradient becomes zero."""

    name: ClassVar[str] = "zero_gradient"
