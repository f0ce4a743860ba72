from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from harness import shapes
from harness.shapes.uniform import Uniform


def test_sizes_of_a_seed() -> None:
    uniform = TypeAdapter(shapes.annotation()).validate_python({"distribution": "uniform", "min": 4, "max": 9})
    assert uniform.sizes(7, 8) == (5, 4, 7, 4, 7, 6, 4, 7)


@given(st.integers(1, 4096), st.integers(0, 100), st.integers(0, 2**31))
def test_sizes_stay_within_the_bounds(low: int, span: int, seed: int) -> None:
    high = min(low + span, 4096)
    drawn = Uniform(distribution="uniform", min=low, max=high).sizes(seed, 50)
    assert min(drawn) >= low
    assert max(drawn) <= high


def test_every_size_comes_up_about_as_often() -> None:
    drawn = Uniform(distribution="uniform", min=1, max=4).sizes(1, 1000)
    assert all(200 < drawn.count(size) < 300 for size in (1, 2, 3, 4))


def test_the_bounds_must_be_in_order() -> None:
    with pytest.raises(ValidationError, match="min 9 is above max 4"):
        Uniform(distribution="uniform", min=9, max=4)
