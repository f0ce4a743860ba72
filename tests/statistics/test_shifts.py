"""Levels that change, nights unlike the others, and how often that is said of series in which nothing happens."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.statistics import shifts
from harness.statistics.shifts import Shift, is_unusual, last_shift

FLAT = [0.0, 0.01, -0.01, 0.005, -0.005, 0.008, -0.002, 0.003, -0.007, 0.001]


def test_a_level_that_changes_is_seen_where_it_does() -> None:
    assert last_shift([*FLAT, *(0.1 + value for value in FLAT)]) == Shift(10, 0.0005, 0.1005)


def test_of_two_changes_the_later_one_counts() -> None:
    found = last_shift([*FLAT, *(0.1 + value for value in FLAT), *(0.3 + value for value in FLAT)])
    assert found is not None
    assert (found.at, round(found.before, 3), round(found.after, 3)) == (20, 0.101, 0.3)


def test_what_is_less_than_asked_is_no_change() -> None:
    series = [*FLAT, *(0.1 + value for value in FLAT)]
    assert last_shift(series, least=0.2) is None
    assert last_shift(FLAT) is None
    assert last_shift([]) is None


def test_a_night_is_unusual_beside_enough_others_only() -> None:
    assert is_unusual(FLAT, 0.2)
    assert not is_unusual(FLAT, 0.01)
    assert not is_unusual(FLAT, 0.2, least=0.3)
    assert not is_unusual(FLAT[:4], 9.0)


def test_where_all_nights_were_equal_anything_else_is_unusual() -> None:
    assert is_unusual([1.5] * 5, 1.5000001)
    assert not is_unusual([1.5] * 5, 1.5)


def test_a_bad_night_among_the_others_hides_nothing() -> None:
    assert is_unusual([*FLAT, 5.0], 0.2)


@pytest.mark.parametrize("phi", [0.0, 0.5])
def test_flat_series_are_rarely_suspected(phi: float) -> None:
    random, wrong, nights = np.random.default_rng(3), 0, 0
    for _ in range(60):
        steps = random.standard_normal(40)
        level = [steps[0]]
        for step in steps[1:]:
            level.append(phi * level[-1] + np.sqrt(1 - phi**2) * step)
        wrong += sum(is_unusual(level[:night], level[night]) for night in range(10, 40))
        nights += 30
    assert wrong / nights <= 0.02


@given(st.lists(st.floats(-1e3, 1e3), max_size=25))
def test_any_series_has_an_answer(values: list[float]) -> None:
    found = last_shift(values)
    assert found is None or shifts.MIN_BEFORE <= found.at < len(values)


@pytest.mark.parametrize(("odd", "few", "enough"), [(1, 3, 5), (3, 7, 8)])
def test_of_few_values_that_come_again_and_again_none_is_unusual_but_what_lasts(
    odd: int, few: int, enough: int
) -> None:
    """As of a loss that rounding makes one of two; how far off the odd ones are hides nothing."""
    for far in (0.302, 0.9):
        before = [far if night in range(2, 2 + 3 * odd, 3) else 0.3 for night in range(10)]
        for value in (far, 0.301, 0.32):
            assert not is_unusual(before, value)
        assert last_shift([*before, *[0.32] * few]) is None
        found = last_shift([*before, *[0.32] * enough])
        assert found is not None
        assert (found.before, found.after) == (0.3, 0.32)


def test_values_of_which_few_are_odd_are_rarely_suspected() -> None:
    random, wrong = np.random.default_rng(5), 0
    for _ in range(40):
        values = np.where(random.random(40) < 0.3, 0.302, 0.3)
        wrong += any(last_shift(values[:night]) is not None for night in range(10, 41))
    assert wrong <= 16, "of 40, each looked at on 31 nights; all were, when anything else than usual was a shift"


@pytest.mark.parametrize(
    "level",
    [
        [*[0.3, 0.302] * 3, *[0.3] * 5, 0.302, *[0.3] * 4, 0.302, 0.3],
        [0.0, 0.01, -0.01, 0.005, -0.005, *[0.004] * 6],
    ],
)
def test_nights_of_which_most_are_alike_by_chance_have_no_level_of_their_own(level: list[float]) -> None:
    assert last_shift(level) is None
