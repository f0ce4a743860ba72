from __future__ import annotations

import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.statistics.summary import Summary
from harness.statistics.trend import slope

XS = [float(x) for x in range(60)]


def test_a_straight_line() -> None:
    assert slope(XS, [3 * x + 1 for x in XS]) == Summary(60, 3.0, 3.0, 3.0)


def test_the_interval_is_no_wider_than_needed() -> None:
    draw = random.Random(2)
    trend = slope([float(x) for x in range(100)], [x + draw.gauss(0, 1) for x in range(100)])
    assert trend is not None and trend.low is not None and trend.high is not None
    assert trend.low <= 1 <= trend.high
    assert trend.high - trend.low < 0.03  # least squares would give 0.0136


def test_outliers_do_not_move_it() -> None:
    ys = [2 * x for x in XS]
    ys[5] = ys[20] = 1e6
    trend = slope(XS, ys)
    assert trend is not None
    assert trend.median == pytest.approx(2)


def test_too_few_points_have_no_interval_since_they_may_lie_on_one_stair() -> None:
    trend = slope(XS[:39], [2 * x for x in XS[:39]])
    assert trend is not None
    assert (trend.median, trend.low, trend.high) == (2.0, None, None)
    assert trend.note == "too few for an interval, which needs 40 windows"


def test_where_neighbours_are_too_much_alike_it_is_twice_the_range_over_the_length() -> None:
    trend = slope(XS, [math.sin(x / 10) for x in XS])
    assert trend is not None
    assert trend.high == pytest.approx(2 * 1.99 / 59, rel=0.01)
    assert trend.low == -trend.high
    assert trend.note == "it goes by stairs: the interval is all that its range allows"


@given(st.lists(st.integers(-9, 9), min_size=40, max_size=60))
def test_the_estimate_lies_in_its_interval(ys: list[int]) -> None:
    trend = slope(XS[: len(ys)], ys)
    assert trend is not None and trend.low is not None and trend.high is not None
    assert trend.low <= trend.median <= trend.high


def test_what_goes_up_and_down_in_turn_has_none() -> None:
    """Means of blocks of an even length have nothing left to differ by."""
    trend = slope(range(192), [1.0, 2.0] * 96)
    assert trend is not None and trend.low is not None and trend.high is not None
    assert trend.low <= 0 <= trend.high


def test_points_at_one_place_give_no_slope() -> None:
    assert slope([1.0] * 60, XS) is None
    trend = slope(XS * 2, [2 * x for x in XS] * 2)
    assert trend is not None
    assert trend.median == 2.0
