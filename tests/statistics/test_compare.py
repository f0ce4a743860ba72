from __future__ import annotations

import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.statistics.compare import ratio, ratio_of_pairs
from harness.statistics.comparison import Comparison, Spread

SPREAD = Spread(0.09, "run to run", "a default")
NOTHING = Spread(0.0, "run to run", "nothing")


def _noisy(level: float, n: int, seed: int) -> list[float]:
    draw = random.Random(seed)
    return [level * draw.gauss(1, 0.03) for _ in range(n)]


def test_what_does_not_scatter_still_differs_from_run_to_run() -> None:
    compared = ratio([[2.0] * 8], [[4.0] * 8], SPREAD)
    assert compared is not None
    wide = math.exp(1.959964 * 0.09 * math.sqrt(2))
    assert compared.comparison.estimate == pytest.approx(0.5)
    assert compared.comparison.low == pytest.approx(0.5 / wide)
    assert compared.comparison.high == pytest.approx(0.5 * wide)
    assert (compared.comparison.n, compared.basis) == (8, "1 run of each, and 9% from run to run as a default")


def test_of_two_runs_each_the_spread_is_that_of_means() -> None:
    compared = ratio([[2.0] * 8] * 2, [[2.0] * 8] * 2, SPREAD)
    assert compared is not None
    assert compared.comparison.high == pytest.approx(math.exp(1.959964 * 0.09))


def test_noise_within_runs_adds_to_what_differs_between_them() -> None:
    mine, theirs = _noisy(1, 30, 1), _noisy(1, 30, 2)
    alone, both = ratio([mine], [theirs], NOTHING), ratio([mine], [theirs], SPREAD)
    assert alone is not None and both is not None
    widths = [math.log(one.comparison.high / one.comparison.low) for one in (alone, both)]
    assert 0.01 < widths[0] < 0.08
    assert widths[1] ** 2 == pytest.approx(widths[0] ** 2 + (2 * 1.959964 * 0.09) ** 2 * 2, rel=0.1)


@pytest.mark.parametrize(("count", "low", "high"), [(10, 1.1, 1.8), (41, 2.0, 4.0)])
def test_a_series_that_is_too_much_alike_counts_with_its_middle_half(count: int, low: float, high: float) -> None:
    """Or, if it is short, as one whose values have nothing in common."""
    rising = [float(value) for value in range(10, 10 + count)]
    compared = ratio([rising], [[10.0] * 10], NOTHING)
    assert compared is not None
    assert (compared.comparison.low, compared.comparison.high) == (pytest.approx(low), pytest.approx(high))


def test_repeats_are_paired_so_that_what_meets_both_cancels() -> None:
    slower = [1.0, 1.5, 0.7, 1.2, 0.9]
    compared = ratio([[0.5 * level] * 8 for level in slower], [[level] * 8 for level in slower], SPREAD)
    assert compared is not None
    assert compared.comparison.estimate == pytest.approx(0.5)
    assert compared.comparison.low == compared.comparison.high == pytest.approx(0.5)
    assert (compared.comparison.n, compared.basis) == (5, "5 repeats of each")


def test_the_interval_of_pairs_is_students() -> None:
    compared = ratio_of_pairs([math.exp(x) for x in (0.01, 0.02, 0.03)], [1.0] * 3).comparison
    half = 4.302653 * 0.01 / math.sqrt(3)
    assert math.log(compared.estimate) == pytest.approx(0.02)
    assert math.log(compared.low) == pytest.approx(0.02 - half)
    assert math.log(compared.high) == pytest.approx(0.02 + half)


@pytest.mark.parametrize("mine", [[1.0] * 5, [0.0] * 8, []])
def test_nothing_to_compare(mine: list[float]) -> None:
    assert ratio([mine], [[1.0] * 8], SPREAD) is None
    assert ratio([[1.0] * 8], [mine], SPREAD) is None


def test_windows_in_which_nobody_trained_leave_no_lower_bound() -> None:
    compared = ratio([[*[0.0] * 4, *range(1, 7)]], [[1.0] * 10], SPREAD)
    assert compared is not None
    assert compared.comparison.low == 0.0


@given(st.integers(0, 10**6), st.integers(1, 6))
def test_the_other_way_round_is_the_inverse(seed: int, runs: int) -> None:
    mine = [_noisy(1.0, 20, seed + run) for run in range(runs)]
    theirs = [_noisy(1.1, 20, seed + 100 + run) for run in range(runs)]
    there, back = ratio(mine, theirs, SPREAD), ratio(theirs, mine, SPREAD)
    assert there is not None and back is not None
    assert there.comparison.estimate == pytest.approx(1 / back.comparison.estimate)
    assert there.comparison.low == pytest.approx(1 / back.comparison.high)


def test_what_could_have_been_seen_is_what_four_of_five_tries_see() -> None:
    assert Comparison(1.0, 0.9, 1.1, 20).detectable == pytest.approx(0.1429, abs=1e-4)
