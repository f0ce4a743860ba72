from __future__ import annotations

import random

import pytest

from harness.statistics.trend import slope


def test_a_straight_line() -> None:
    xs = [float(x) for x in range(20)]
    trend = slope(xs, [3 * x + 1 for x in xs])
    assert trend is not None
    assert (trend.estimate, trend.low, trend.high, trend.n) == (3, 3, 3, 20)


def test_the_interval_is_no_wider_than_needed() -> None:
    draw = random.Random(2)
    trend = slope([float(x) for x in range(100)], [x + draw.gauss(0, 1) for x in range(100)])
    assert trend is not None
    assert trend.low <= 1 <= trend.high
    assert trend.high - trend.low < 0.025  # least squares would give 0.0136


def test_outliers_do_not_move_it() -> None:
    xs = [float(x) for x in range(30)]
    ys = [2 * x for x in xs]
    ys[5] = ys[20] = 1e6
    trend = slope(xs, ys)
    assert trend is not None
    assert trend.estimate == pytest.approx(2)


def test_no_trend_has_zero_in_its_interval() -> None:
    draw = random.Random(1)
    held = 0
    for _ in range(100):
        trend = slope([float(x) for x in range(40)], [draw.gauss(0, 1) for _ in range(40)])
        assert trend is not None
        held += trend.low <= 0 <= trend.high
    assert held >= 90


def test_stairs_are_not_taken_for_a_trend() -> None:
    held = 0
    for seed in range(100):
        draw, level, ys = random.Random(seed), 0.0, []
        for _ in range(40):
            level = 0.8 * level + draw.gauss(0, 1)
            ys.append(level)
        trend = slope([float(x) for x in range(40)], ys)
        assert trend is not None
        held += trend.low <= 0 <= trend.high
    assert held >= 85


def test_too_few_points() -> None:
    assert slope([1, 2, 3], [1, 2, 3]) is None


def test_points_at_one_place_give_no_slope() -> None:
    assert slope([1.0] * 10, [float(y) for y in range(10)]) is None
    twice = [float(x) for x in range(8)] * 2
    trend = slope(twice, [2 * x for x in twice])
    assert trend is not None
    assert (trend.estimate, trend.low, trend.high) == (2.0, 2.0, 2.0)
