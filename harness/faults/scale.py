"""Gradients of the wrong size: a forgotten mean, a wrong loss scale."""

from __future__ import annotations

from typing import Annotated, ClassVar

from pydantic import Field

from harness.faults import TensorFault


class Scale(TensorFault):
    """A gradient is multiplied by a factor."""

    name: ClassVar[str] = "scale"
    factor: Annotated[float, Field(strict=True)]
