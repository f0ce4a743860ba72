"""A small run of the simulation that holds intervals to the truth; the whole one is in `benchmarks/itself`."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.itself.intervals import KINDS, autoregressive, shown_and_right, wrong_ratios
from harness.statistics.trend import slope

SERIES = 150
SLACK = 0.05
"""Three standard errors of a share of 5 % in 150 series."""


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "jumping"])
@pytest.mark.parametrize("n", [12, 40, 100])
def test_a_median_is_rarely_outside_of_an_interval_that_is_shown(kind: str, n: int) -> None:
    shown, right = shown_and_right(kind, n, SERIES)
    assert shown - right <= 0.05 + SLACK


@pytest.mark.parametrize(("kind", "n"), [("AR 0.6", 20), ("AR 0.6", 40), ("AR 0.9", 100)])
def test_of_intervals_that_are_shown_few_are_wrong(kind: str, n: int) -> None:
    """By the estimate of what is alike, one in ten to one in five was."""
    shown, right = shown_and_right(kind, n, 2 * SERIES)
    assert 1 - right / shown <= 0.05 + 2 * SLACK


@pytest.mark.parametrize("n", [8, 12, 20, 40])
def test_a_short_series_that_is_very_alike_has_hardly_ever_an_interval(n: int) -> None:
    assert shown_and_right("AR 0.9", n, SERIES)[0] <= 0.10


def test_levels_that_jump_are_seen_where_the_series_visits_them() -> None:
    shown, right = shown_and_right("jumping", 40, SERIES)
    assert shown < 0.5
    assert shown - right <= 0.05 + SLACK


@pytest.mark.parametrize("kind", ["independent", "AR 0.3", "heavy", "lognormal", "spiky"])
def test_an_interval_is_there_where_neighbours_have_little_in_common(kind: str) -> None:
    shown, right = shown_and_right(kind, 40, SERIES)
    assert shown >= 0.95
    assert right >= 0.90


@pytest.mark.parametrize("phi", [0.0, 0.6, 0.9])
def test_a_slope_is_rarely_outside_of_its_interval(phi: float) -> None:
    random, missed = np.random.default_rng(3), 0
    for _ in range(SERIES):
        trend = slope(list(range(60)), list(autoregressive(phi)(random, 60)))
        assert trend is not None
        missed += trend.low is not None and trend.high is not None and not trend.low <= 0 <= trend.high
    assert missed <= (0.05 + SLACK) * SERIES


def test_a_slow_wander_under_noise_is_seldom_a_slope() -> None:
    """Noise hides from neighbours what they have in common: by these alone 30 in 100 of such series had a slope."""
    random, missed = np.random.default_rng(3), 0
    for _ in range(SERIES):
        trend = slope(range(100), list(random.normal(size=100) + autoregressive(0.9)(random, 100)))
        assert trend is not None and trend.low is not None and trend.high is not None
        missed += not trend.low <= 0 <= trend.high
    assert missed <= (0.10 + SLACK) * SERIES


def test_stairs_show_no_slope_of_their_own() -> None:
    for n in (40, 60, 100, 400):
        for first in range(30):
            steps = np.floor((np.arange(n) + first) / 30)
            trend = slope(list(range(n)), list(steps))
            assert trend is not None and trend.low is not None and trend.high is not None
            assert trend.low <= 1 / 30 <= trend.high


@pytest.mark.parametrize("repeats", [1, 3, 5])
def test_equal_arms_are_rarely_told_to_differ(repeats: int) -> None:
    assert wrong_ratios(repeats, SERIES) <= 0.05 + SLACK
