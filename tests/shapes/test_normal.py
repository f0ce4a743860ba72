from __future__ import annotations

from statistics import fmean, stdev

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from harness import shapes
from harness.shapes.normal import Normal

WRITTEN = {"distribution": "normal", "mean": 100, "sd": 20, "min": 1, "max": 400}


def test_sizes_of_a_seed() -> None:
    drawn = TypeAdapter(shapes.annotation()).validate_python(WRITTEN).sizes(7, 6)
    assert drawn == (91, 79, 108, 71, 102, 93)


def test_mean_and_spread_are_those_asked_for() -> None:
    drawn = Normal.model_validate(WRITTEN).sizes(1, 1000)
    assert 98 <= fmean(drawn) <= 102
    assert 19 <= stdev(drawn) <= 21


@given(st.floats(0, 1, exclude_max=True), st.floats(0.01, 1000))
def test_sizes_stay_within_the_bounds(uniform: float, sd: float) -> None:
    assert 1 <= Normal.model_validate({**WRITTEN, "sd": sd}).draw(uniform) <= 400


def test_the_mean_must_lie_within_the_bounds() -> None:
    with pytest.raises(ValidationError, match="mean 100 is not between min 1 and max 50"):
        Normal.model_validate({**WRITTEN, "max": 50})
