from __future__ import annotations

import hashlib

import numpy as np

from harness.worker.digest import sha256


class _Array:
    def __init__(self, *values: float) -> None:
        self._values = np.array(values, "float32")

    def asnumpy(self) -> np.ndarray:
        return self._values


def test_names_and_bytes_in_their_order() -> None:
    expected = hashlib.sha256(b"w" + np.array([1, 2], "float32").tobytes() + b"b").hexdigest()
    assert sha256([("w", _Array(1, 2)), ("b", _Array())]) == expected


def test_one_bit_makes_a_difference() -> None:
    assert sha256([("w", _Array(0.0))]) != sha256([("w", _Array(-0.0))])
