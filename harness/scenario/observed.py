"""Sizes of the batches of a script, as a trace for ``shapes``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from harness.base.errors import InputError


@dataclass(frozen=True)
class Observed:
    """The size of each batch along an axis, and others along which sizes vary, too."""

    axis: int
    sizes: tuple[int, ...]
    others: tuple[int, ...] = ()

    def text(self) -> str:
        """A line for each."""
        return "".join(f"{size}\n" for size in self.sizes)


def of(shapes: Sequence[Sequence[int]]) -> Observed:
    """Along the first axis beyond the samples that varies, else the last one; InputError without a batch of any."""
    known = [shape for shape in shapes if len(shape) > 1]
    if not known:
        raise InputError(
            "no batch was fetched from a gluon DataLoader or a DataIter, so that there are no sizes to record"
        )
    axes = range(1, min(map(len, known)))
    varying = [axis for axis in axes if len({shape[axis] for shape in known}) > 1]
    axis, *others = varying or [axes[-1]]
    return Observed(axis, tuple(shape[axis] for shape in known), tuple(others))
