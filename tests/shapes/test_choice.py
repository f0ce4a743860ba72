from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from harness import shapes
from harness.shapes.choice import Choice


def test_sizes_of_a_seed() -> None:
    choice = TypeAdapter(shapes.annotation()).validate_python({"distribution": "choice", "values": [16, 32, 48]})
    assert choice.sizes(7, 8) == (16, 16, 32, 16, 32, 32, 16, 32)


def test_weights_decide_how_often() -> None:
    drawn = Choice(distribution="choice", values=(8, 16), weights=(1, 3)).sizes(1, 1000)
    assert 200 < drawn.count(8) < 300


@given(st.lists(st.integers(1, 4096), min_size=1, max_size=20), st.floats(0, 1, exclude_max=True))
def test_only_listed_sizes(values: list[int], uniform: float) -> None:
    assert Choice(distribution="choice", values=tuple(values)).draw(uniform) in values


def test_a_weight_for_each_value() -> None:
    with pytest.raises(ValidationError, match="1 weights for 2 values"):
        Choice(distribution="choice", values=(8, 16), weights=(1,))
