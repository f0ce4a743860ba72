from __future__ import annotations

import random
from statistics import median

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.statistics.summary import Summary, quantile, summarize


def test_median_and_interval_of_ten() -> None:
    # order statistics 2 and 9 hold the median with 97.9 % (binomial)
    assert summarize([10, 9, 8, 7, 6, 5, 4, 3, 2, 1]) == Summary(10, 5.5, 2, 9)


def test_below_six_samples_there_is_no_interval() -> None:
    assert summarize([1.0, 2.0, 3.0]) == Summary(3, 2.0, None, None)
    assert summarize([1, 2, 3, 4, 5, 6]) == Summary(6, 3.5, 1, 6)


def test_no_samples() -> None:
    with pytest.raises(ValueError, match="no samples"):
        summarize([])


def test_the_interval_holds_the_true_median_as_often_as_it_says() -> None:
    draw = random.Random(1)
    for n in (6, 20, 75):
        held = 0
        for _ in range(1000):
            summary = summarize([draw.lognormvariate(0, 1) for _ in range(n)])
            assert summary.low is not None and summary.high is not None
            held += summary.low <= 1.0 <= summary.high
        assert held >= 940


def test_the_approximation_for_many_samples_agrees_with_the_exact_rank() -> None:
    exact, many = summarize(list(range(1000))), summarize(list(range(1001)))
    assert exact.low is not None and many.low is not None
    assert abs(exact.low - many.low) <= 2


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=200))
def test_the_median_lies_within_its_interval(samples: list[float]) -> None:
    summary = summarize(samples)
    assert summary.median == median(samples)
    if summary.low is not None and summary.high is not None:
        assert summary.low <= summary.median <= summary.high


def test_quantiles() -> None:
    assert quantile([4, 1, 3, 2], 0.5) == 2.5
    assert quantile([1, 2, 3, 4, 5], 0.99) == pytest.approx(4.96)
    assert quantile([7], 0.99) == 7
