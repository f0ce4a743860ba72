from __future__ import annotations

import random

import pytest

from harness.statistics.compare import Comparison, ratio_of_medians, relative_difference


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


def test_the_interval_holds_the_true_ratio_as_often_as_it_says() -> None:
    held = 0
    for seed in range(200):
        comparison = ratio_of_medians(_noisy(1, 20, seed), _noisy(1, 20, seed + 1000))
        assert comparison is not None
        held += comparison.low <= 1 <= comparison.high
    assert held >= 185


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
    assert relative_difference([1.0] * 3, [1.0] * 3) is None
    assert relative_difference([0.0] * 10, [0.0] * 10) is None
