"""Batches of scripts, in the form that faults know."""

from __future__ import annotations

from collections import namedtuple
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from harness.worker.failures import CannotCommitError
from harness.worker.own.fetched import Fetched, samples_of


class Array:
    """As much of an NDArray as is asked of one."""

    context, dtype = "cpu(0)", "float32"

    def __init__(self, value: Any) -> None:
        self.value = np.asarray(value)
        self.shape = self.value.shape

    def asnumpy(self) -> Any:
        return self.value


MX: Any = SimpleNamespace(nd=SimpleNamespace(NDArray=Array, array=lambda value, ctx, dtype: Array(value)))


def data_batch(pad: int = 0) -> Any:
    return SimpleNamespace(data=[Array(np.zeros((8, 3)))], label=[Array(np.arange(8))], pad=pad)


@pytest.mark.parametrize(
    ("batch", "batch_size", "expected"),
    [
        ([Array(np.zeros((4, 2))), Array(np.zeros(4))], 0, 4),
        ([[Array(np.zeros((5, 2)))], Array(np.zeros(5))], 0, 5),
        (Array(np.zeros((6, 2))), 0, 6),
        (data_batch(pad=2), 0, 6),
        (data_batch(), 16, 8),  # a smaller one at the end
        (SimpleNamespace(data=[Array(np.zeros((35, 16)))], label=[], pad=0), 16, 16),  # time is the first axis
        ("text", 0, 0),
    ],
)
def test_samples_of_a_batch(batch: Any, batch_size: int, expected: int) -> None:
    assert samples_of(batch, SimpleNamespace(batch_size=batch_size)) == expected


def doubled(fetched: Fetched) -> Any:
    return lambda step: (fetched(step)[0] * 2, fetched(step)[1])


@pytest.mark.parametrize("kind", [list, tuple])
def test_only_what_a_fault_changes_is_another_array(kind: Any) -> None:
    fetched, rest = Fetched(MX), object()
    data, label = Array(np.ones((2, 2))), Array(np.arange(2))
    made, _ = fetched.changed(kind([data, label, rest]), 5, doubled(fetched))
    assert type(made) is kind
    assert made[0].value.tolist() == [[2.0, 2.0], [2.0, 2.0]]
    assert (made[1], made[2]) == (label, rest)


def test_a_batch_of_an_iterator_is_another_and_the_old_one_stays() -> None:
    fetched, batch = Fetched(MX), data_batch()
    batch.data[0].value[:] = 1.0
    made, _ = fetched.changed(batch, 5, doubled(fetched))
    assert (made.data[0].value.max(), batch.data[0].value.max()) == (2.0, 1.0)
    assert made.label == batch.label


def test_sizes_are_of_images_or_of_sequences() -> None:
    fetched = Fetched(MX)
    fetched.changed([Array(np.arange(16.0).reshape(1, 1, 4, 4)), Array(np.zeros(1))], 0, fetched)
    assert fetched.sized(0, 2)[0].tolist() == [[[[0.0, 2.0], [8.0, 10.0]]]]
    fetched.changed([Array(np.arange(4.0).reshape(1, 4)), Array(np.zeros(1))], 0, fetched)
    assert fetched.sized(0, 6)[0].tolist() == [[0.0, 0.0, 1.0, 2.0, 2.0, 3.0]]


def test_channels_may_come_last() -> None:
    fetched = Fetched(MX)
    fetched.changed([Array(np.zeros((2, 8, 8, 3))), Array(np.zeros(2))], 0, fetched)
    assert fetched.sized(0, 6)[0].shape == (2, 6, 6, 3)


def test_what_no_fault_changes_is_the_batch_itself() -> None:
    fetched, batch = Fetched(MX), (Array(np.ones((2, 2))), Array(np.arange(2)))
    assert fetched.changed(batch, 5, fetched) == (batch, 1)


def test_what_is_no_batch_of_arrays_is_left_alone_and_faults_see_none() -> None:
    fetched, seen = Fetched(MX), []

    def waits(step: int) -> Any:
        seen.append(fetched(step))
        return fetched(step)

    batch = {"words": 1}
    assert fetched.changed(batch, 0, waits) == (batch, 1)
    assert seen == [None]


def test_a_named_batch_stays_one() -> None:
    named = namedtuple("named", ["image", "label", "weight"])
    batch = named(Array(np.ones((2, 2))), Array(np.arange(2)), 3)
    fetched = Fetched(MX)
    made, _ = fetched.changed(batch, 5, doubled(fetched))
    assert (type(made), made.weight, made.image.value.max()) == (named, 3, 2.0)


def test_a_batch_of_another_shape_says_so_to_a_module() -> None:
    """Its descriptions and its bucket are the new ones: else a Module computes with what it was bound to."""
    described = namedtuple("described", ["name", "shape", "dtype", "layout"])
    batch = SimpleNamespace(data=[Array(np.zeros((2, 6)))], label=[Array(np.ones((2, 6)))], pad=0, bucket_key=6)
    batch.provide_data = [described("data", (2, 6), "float32", "NT")]
    batch.provide_label = [("label", (2, 6))]
    fetched = Fetched(MX)
    made, times = fetched.changed(batch, 5, lambda step: (fetched(step), fetched.sized(step, 4))[1])
    assert (made.data[0].shape, made.label[0].shape, made.bucket_key, times) == ((2, 4), (2, 4), 4, 1)
    assert made.provide_data == [described("data", (2, 4), "float32", "NT")]
    assert made.provide_label == [("label", (2, 4))]
    assert (batch.bucket_key, batch.provide_label) == (6, [("label", (2, 6))])
    more, times = fetched.changed(batch, 5, lambda step: [np.concatenate([each] * 3) for each in fetched(step)])
    assert (more.provide_data[0].shape, times, more.bucket_key) == ((6, 6), 3, 6)


def test_what_is_fetched_ahead_is_of_no_known_step() -> None:
    fetched = Fetched(MX)
    batch = [Array(np.ones((2, 2))), Array(np.arange(2))]
    assert fetched.changed(batch, 5, fetched, lead=1) == (batch, 1)
    with pytest.raises(CannotCommitError, match="ahead of the steps that train with them"):
        fetched.changed(batch, 5, doubled(fetched), lead=1)
