from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.statistics.series import BoundedSeries, Reservoir, coarsened


def test_few_values_stay_as_they_are() -> None:
    series = BoundedSeries(8)
    for value in (1.0, 2.0, 3.0):
        series.add(value)
    assert (list(series.points), series.stride, series.count) == ([1.0, 2.0, 3.0], 1, 3)


def test_at_capacity_neighbours_are_averaged() -> None:
    series = BoundedSeries(4)
    for value in (1.0, 3.0, 5.0, 7.0, 10.0, 20.0, 99.0):
        series.add(value)
    assert (list(series.points), series.stride, series.count) == ([2.0, 6.0, 15.0], 2, 7)


@given(st.integers(1, 2000), st.sampled_from([4, 16, 64]))
def test_memory_is_bounded_and_the_mean_is_kept(n: int, capacity: int) -> None:
    series = BoundedSeries(capacity)
    for value in range(n):
        series.add(float(value))
    whole = len(series.points) * series.stride
    assert len(series.points) < capacity
    assert n - series.stride < whole <= n
    if whole:
        assert sum(series.points) / len(series.points) == pytest.approx((whole - 1) / 2)


@given(st.lists(st.lists(st.floats(-1e6, 1e6), max_size=30), max_size=20), st.sampled_from([2, 4, 16]))
def test_values_that_come_together_count_as_one_after_the_other(parts: list[list[float]], capacity: int) -> None:
    one, other = BoundedSeries(capacity), BoundedSeries(capacity)
    for part in parts:
        one.extend(part)
        for value in part:
            other.add(value)
    one.add(1.0)
    other.add(1.0)
    assert (one.points, one.stride, one.count) == (other.points, other.stride, other.count)


def test_coarsened_points_are_means_of_neighbours() -> None:
    assert list(coarsened([1.0, 3.0, 5.0, 7.0, 9.0], 2)) == [2.0, 6.0]
    assert list(coarsened([1.0, 3.0], 1)) == [1.0, 3.0]


def test_a_reservoir_holds_a_sample_that_is_the_same_each_time() -> None:
    first, second = Reservoir(100), Reservoir(100)
    for value in range(10_000):
        first.add(float(value))
        second.add(float(value))
    assert first.values == second.values
    assert (len(first.values), first.count) == (100, 10_000)
    assert 4000 < sum(first.values) / 100 < 6000
