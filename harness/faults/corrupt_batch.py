"""A batch is not what it should be: a decoder gone wrong, labels of another file."""

from __future__ import annotations

from typing import ClassVar, Literal

from harness.faults import InputFault


class CorruptBatch(InputFault):
    """The samples of a batch become noise, zeros or NaN, or its labels those of other samples."""

    name: ClassVar[str] = "corrupt_batch"
    how: Literal["noise", "zeros", "nan", "labels"] = "noise"
