from __future__ import annotations

import hashlib
import math

import numpy as np

from harness.worker.digest import sha256, sketch


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


def test_sketches_tell_how_far_apart_arrays_are() -> None:
    random = np.random.RandomState(1)
    one, way = random.normal(size=20_000), random.normal(size=20_000)
    for size in (1e-6, 1e-2, 1.0):
        told = math.dist(sketch(_Array(*one)), sketch(_Array(*(one + size * way))))
        true = float(np.linalg.norm(np.float32(one + size * way).astype("f8") - np.float32(one)))
        assert 0.6 * true < told < 1.4 * true
    assert sketch(_Array(*one)) == sketch(_Array(*one))
    assert len(sketch(_Array(3.0))) == 16


def test_sketches_are_numbers_whatever_parameters_are() -> None:
    assert all(map(math.isfinite, sketch(_Array(float("nan"), float("inf"), 1.0))))
