"""A worker sends old gradients: a buffer that was not waited for."""

from __future__ import annotations

from typing import ClassVar

from harness.faults import TensorFault


class Stale(TensorFault):
    """The gradient of the step before is sent again, of one parameter or of all where none is named."""

    name: ClassVar[str] = "stale"
