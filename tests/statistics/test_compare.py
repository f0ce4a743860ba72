from __future__ import annotations

import math
import random

import pytest

from harness.statistics.compare import ratio_of_medians, relative_difference
from harness.statistics.comparison import Comparison


def _noisy(level: float, n: int, seed: int, cv: float = 0.03) -> list[float]:
    draw = random.Random(seed)
    return [level * draw.gauss(1, cv) for _ in range(n)]


def test_ratio_of_equal_samples_is_one() -> None:
    comparison = ratio_of_medians([2.0] * 8, [2.0] * 8)
    assert comparison == Comparison(1.0, 1.0, 1.0, 8)
    assert comparison.detectable == 0


def test_a_real_difference_lies_outside_of_one() -> None:
    comparison = ratio_of_medians(_noisy(37, 30, 1), _noisy(100, 30, 2))
    assert comparison is not None
    assert comparison.low < 0.37 < comparison.high < 0.45


def _alike(level: float, n: int, seed: int, phi: float) -> list[float]:
    """An autoregressive series: neighbours are alike with correlation ``phi``."""
    draw = random.Random(seed)
    values, now = [], draw.gauss(0, 1)
    for _ in range(n):
        now = phi * now + math.sqrt(1 - phi**2) * draw.gauss(0, 1)
        values.append(level * (1 + 0.03 * now))
    return values


@pytest.mark.parametrize(("n", "phi", "least"), [(20, 0.0, 0.93), (40, 0.0, 0.93), (40, 0.5, 0.85), (100, 0.5, 0.88)])
def test_the_interval_holds_the_true_ratio_about_as_often_as_it_says(n: int, phi: float, least: float) -> None:
    held = 0
    for seed in range(200):
        comparison = ratio_of_medians(_alike(1, n, seed, phi), _alike(1, n, seed + 1000, phi))
        assert comparison is not None
        held += comparison.low <= 1 <= comparison.high
    assert held >= 200 * least


@pytest.mark.parametrize(("n", "phi", "least"), [(20, 0.0, 0.92), (80, 0.0, 0.92), (80, 0.5, 0.87)])
def test_the_interval_holds_the_true_drift_about_as_often_as_it_says(n: int, phi: float, least: float) -> None:
    held = 0
    for seed in range(200):
        comparison = relative_difference(_alike(1, n, seed, phi), [1.0] * n)
        assert comparison is not None
        held += comparison.low <= 0 <= comparison.high
    assert held >= 200 * least


def test_too_few_samples_give_no_ratio() -> None:
    assert ratio_of_medians([1.0] * 5, [1.0] * 100) is None


def test_relative_difference_is_paired() -> None:
    baseline = [float(value) for value in range(1, 101)]
    comparison = relative_difference([value * 1.02 for value in baseline], baseline)
    assert comparison is not None
    assert comparison.estimate == pytest.approx(0.02)
    assert 0.01 < comparison.low <= 0.02 <= comparison.high < 0.03


def test_a_drift_that_is_not_there_is_not_seen() -> None:
    noise = _noisy(1, 80, 3)
    comparison = relative_difference(noise, noise)
    assert comparison == Comparison(0.0, 0.0, 0.0, 80)


def test_nothing_to_compare() -> None:
    assert relative_difference([1.0] * 19, [1.0] * 19) is None
    assert relative_difference([1.0] * 80, [1.0] * 40) is None
    assert relative_difference([0.0] * 30, [0.0] * 30) is None
    assert relative_difference([math.nan] * 30, [1.0] * 30) is None


def test_what_could_have_been_seen_is_what_four_of_five_tries_see() -> None:
    assert Comparison(1.0, 0.9, 1.1, 20).detectable == pytest.approx(0.1429, abs=1e-4)
