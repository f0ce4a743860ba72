from __future__ import annotations

from statistics import median

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.statistics.summary import Summary, loosely, quantile, summarize


def test_median_and_interval_of_twenty() -> None:
    # order statistics 6 and 15 would hold the median of independent values with 95.9 % (binomial); that they are
    # independent is not known of twenty
    samples = [float(value) for value in (7, 20, 1, 12, 17, 4, 9, 14, 2, 19, 6, 11, 16, 3, 18, 8, 13, 5, 15, 10)]
    assert summarize(samples) == Summary(20, 10.5, 5, 16)


def test_below_six_samples_there_is_no_interval() -> None:
    assert summarize([1.0, 2.0, 3.0]) == Summary(3, 2.0, None, None, "too few for an interval")


def test_of_ten_nobody_knows_how_alike_they_are() -> None:
    for n, note in ((6, "too few for an interval"), (10, "too few for an interval"), (11, "")):
        found = summarize([1.0 + 0.01 * ((7 * place) % n) for place in range(n)])
        assert (found.note, found.low is None) == (note, bool(note))


def test_a_series_that_only_rises_has_none_either() -> None:
    rising = summarize([float(value) for value in range(40)])
    assert (rising.median, rising.low, rising.high) == (19.5, None, None)
    assert rising.note == "too alike for an interval (40 are worth 1.1)"


def test_without_an_interval_there_is_a_loose_one() -> None:
    """Of few values that of independent ones, which is all of them; of many the middle half, which is more."""
    assert loosely([float(value) for value in range(1, 9)]) == (1.0, 8.0)
    assert loosely([float(value) for value in range(10)]) == (1.0, 8.0)
    assert loosely([float(value) for value in range(101)]) == (25.0, 75.0)


def test_what_does_not_change_has_an_interval_without_width() -> None:
    assert summarize([3.0] * 6) == Summary(6, 3.0, 3.0, 3.0)


def test_what_is_not_finite_has_none() -> None:
    assert summarize([1.0, float("inf")] * 10).note == "some are not finite"


def test_no_samples() -> None:
    with pytest.raises(ValueError, match="no samples"):
        summarize([])


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
