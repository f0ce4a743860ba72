"""MLPerf's rule."""

from __future__ import annotations

import pytest

from harness.statistics import convergence

FIRST = [500.0, 520.0, 480.0, 610.0, 530.0, 505.0, 495.0, 515.0]


def test_the_fastest_and_the_slowest_do_not_count() -> None:
    """Numbers of `scipy.stats.ttest_ind_from_stats` with olympic means, deviations of all, and 6 values each."""
    found = convergence.compare(FIRST, [470.0, 480.0, 455.0, 500.0, 465.0, 620.0, 475.0, 490.0])
    assert found is not None
    assert (found.first, found.other) == (pytest.approx(510.8333333), 480.0)
    assert (found.fewer, found.more) == (pytest.approx(0.1246287139), pytest.approx(0.8753712861))
    assert found.word == "neither"


def test_who_takes_half_as_many_takes_fewer_and_the_other_way_round() -> None:
    half = [steps / 2 for steps in FIRST]
    fewer, more = convergence.compare(FIRST, half), convergence.compare(half, FIRST)
    assert fewer is not None and more is not None
    assert (fewer.word, more.word) == ("fewer", "more")


def test_the_same_and_too_few() -> None:
    same = convergence.compare([400.0] * 4, [400.0] * 4)
    assert same is not None
    assert same.word == "neither"
    less = convergence.compare([400.0] * 4, [399.0] * 4)
    assert less is not None
    assert less.word == "fewer"
    assert convergence.compare(FIRST, FIRST[:3]) is None
