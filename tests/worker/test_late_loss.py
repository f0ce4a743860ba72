"""Losses as numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from harness.worker.late_loss import NegativeLog
from harness.worker.wide import float64


class Array:
    """As MXNet has it."""

    def __init__(self, values: Any) -> None:
        self._values = values

    def asnumpy(self) -> Any:
        return self._values


def test_bits_of_bfloat16_are_read_as_the_numbers_that_they_are() -> None:
    bits = np.array([16320, 49168, 32704, 32640], "uint16").view(np.dtype([("bfloat16", "<u2")]))
    np.testing.assert_array_equal(float64(Array(bits)), [1.5, -2.25, np.nan, np.inf])


@pytest.mark.parametrize("kind", ["float16", "float32", "float64", "int32"])
def test_other_numbers_are_as_they_are(kind: str) -> None:
    found = float64(Array(np.array([[1, -2]], kind)))
    assert (found.dtype, found.tolist()) == (np.dtype("float64"), [[1.0, -2.0]])


def test_cross_entropy_of_probabilities_is_finite_also_where_there_is_none() -> None:
    values = NegativeLog.finished(np.array([1.0, 0.5, 0.0]))
    assert values.tolist() == pytest.approx([0.0, 0.693147, 27.631021], abs=1e-6)
