from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from harness.shapes.zipf import Zipf


def test_frequencies_fall_with_the_rank() -> None:
    """Of three sizes with exponent 1: 6/11, 3/11 and 2/11."""
    drawn = Counter(Zipf(distribution="zipf", min=10, max=12).sizes(1, 1000))
    assert 505 <= drawn[10] <= 585
    assert 235 <= drawn[11] <= 310
    assert 145 <= drawn[12] <= 220


def test_the_exponent_says_how_fast() -> None:
    """Of two sizes with exponent 2: 4/5 and 1/5."""
    drawn = Counter(Zipf(distribution="zipf", exponent=2, min=1, max=2).sizes(1, 1000))
    assert 760 <= drawn[1] <= 840


@given(st.integers(1, 500), st.integers(0, 500), st.floats(0.01, 10), st.floats(0, 1, exclude_max=True))
def test_sizes_stay_within_the_bounds(low: int, span: int, exponent: float, uniform: float) -> None:
    drawn = Zipf(distribution="zipf", exponent=exponent, min=low, max=low + span).draw(uniform)
    assert low <= drawn <= low + span


def test_the_bounds_must_be_in_order() -> None:
    with pytest.raises(ValidationError, match="min 9 is above max 4"):
        Zipf(distribution="zipf", min=9, max=4)
