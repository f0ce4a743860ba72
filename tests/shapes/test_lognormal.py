from __future__ import annotations

from statistics import median

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from harness import shapes
from harness.shapes.lognormal import Lognormal

WRITTEN = {"distribution": "lognormal", "median": 64, "sigma": 0.4, "min": 16, "max": 256, "round_to": 16}


def test_sizes_of_a_seed() -> None:
    drawn = TypeAdapter(shapes.annotation()).validate_python(WRITTEN).sizes(7, 10)
    assert drawn == (64, 48, 80, 48, 80, 64, 48, 64, 32, 64)


def test_the_median_is_the_median() -> None:
    exact = Lognormal.model_validate({**WRITTEN, "round_to": 1, "min": 1, "max": 4096})
    assert 60 <= median(exact.sizes(1, 1000)) <= 68


@given(st.floats(0, 1, exclude_max=True), st.floats(0.01, 5))
def test_sizes_stay_within_the_bounds(uniform: float, sigma: float) -> None:
    assert 16 <= Lognormal.model_validate({**WRITTEN, "sigma": sigma}).draw(uniform) <= 256


def test_the_median_must_lie_within_the_bounds() -> None:
    with pytest.raises(ValidationError, match="median 64 is not between min 100 and max 256"):
        Lognormal.model_validate({**WRITTEN, "min": 100})
