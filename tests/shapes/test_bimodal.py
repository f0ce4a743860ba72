from __future__ import annotations

from statistics import fmean, stdev

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from harness.shapes.bimodal import Bimodal

WRITTEN = {"distribution": "bimodal", "low": 20, "high": 200, "share": 0.25, "sd": 4, "min": 1, "max": 300}


def test_both_kinds_come_as_often_as_asked_and_where_asked() -> None:
    drawn = Bimodal.model_validate(WRITTEN).sizes(1, 1000)
    low, high = [size for size in drawn if size < 110], [size for size in drawn if size >= 110]
    assert 220 <= len(high) <= 280
    assert 19.5 <= fmean(low) <= 20.5
    assert 199 <= fmean(high) <= 201
    assert 3.6 <= stdev(low) <= 4.4


@given(st.floats(0, 1, exclude_max=True), st.floats(0.01, 0.99), st.floats(0.01, 1000))
def test_sizes_stay_within_the_bounds(uniform: float, share: float, sd: float) -> None:
    assert 1 <= Bimodal.model_validate({**WRITTEN, "share": share, "sd": sd}).draw(uniform) <= 300


def test_the_kinds_must_be_in_order() -> None:
    with pytest.raises(ValidationError, match="low 20 and high 10 are not in order between 1 and 300"):
        Bimodal.model_validate({**WRITTEN, "high": 10})
