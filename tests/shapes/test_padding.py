"""What is drawn is padded in every distribution alike."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from harness import shapes
from harness.shapes import Distribution
from harness.shapes.choice import Choice
from harness.shapes.uniform import Uniform


def _shapes(**fields: object) -> Distribution:
    found: Distribution = TypeAdapter(shapes.annotation()).validate_python(fields)
    return found


def test_up_to_a_multiple() -> None:
    choice = Choice(distribution="choice", values=(1, 8, 9), round_to=8)
    assert [choice.padded(size) for size in choice.values] == [8, 8, 16]
    assert choice.varies


def test_up_to_the_next_bucket() -> None:
    uniform = Uniform(distribution="uniform", min=1, max=30, buckets=(32, 10))
    assert [uniform.padded(size) for size in (1, 10, 11, 30)] == [10, 10, 32, 32]
    assert set(uniform.sizes(7, 100)) == {10, 32}


def test_one_bucket_for_all_is_one_size() -> None:
    uniform = Uniform(distribution="uniform", min=1, max=30, buckets=(32,))
    assert not uniform.varies
    assert set(uniform.sizes(7, 100)) == {32}


def test_the_share_that_is_padding() -> None:
    halves = Choice(distribution="choice", values=(2,), round_to=4)
    assert halves.padding(7, 100) == 0.5
    assert halves.padding(7, 100, 2) == 0.75  # of the area of squares
    assert Uniform(distribution="uniform", min=3, max=30).padding(7, 100) == 0
    thirds = _shapes(distribution="ramp", first=1, last=3, over=3, buckets=[3])
    assert thirds.padding(7, 3) == pytest.approx(3 / 9)
    assert thirds.padding(7, 4) == pytest.approx(5 / 12)  # the first comes again


def test_nothing_is_rounded_beyond_the_largest() -> None:
    refused = _shapes(distribution="uniform", min=1, max=4000, round_to=3000).refusal()
    assert refused == "rounded to 3000, the largest size, 4000, is beyond 4096, the largest allowed"


def test_a_size_without_a_bucket_is_refused() -> None:
    uniform = Uniform(distribution="uniform", min=1, max=30, buckets=(8, 16))
    assert uniform.refusal() == "the largest bucket, 16, is below the largest size, 30"


def test_the_largest_of_a_list_need_not_be_its_last() -> None:
    choice = Choice(distribution="choice", values=(64, 8), buckets=(32,))
    assert choice.extremes() == (8, 64)
    assert choice.refusal() == "the largest bucket, 32, is below the largest size, 64"


def test_one_way_of_padding() -> None:
    with pytest.raises(ValidationError, match="has round_to and buckets"):
        Uniform(distribution="uniform", min=1, max=30, round_to=8, buckets=(32,))


@given(st.sampled_from(["uniform", "zipf"]), st.integers(1, 60), st.integers(0, 60), st.integers(1, 64))
def test_padding_never_takes_away(name: str, low: int, span: int, multiple: int) -> None:
    found = _shapes(distribution=name, min=low, max=low + span, round_to=multiple)
    drawn, sizes = found.drawn(3, 50), found.sizes(3, 50)
    assert all(
        size >= own and size % multiple == 0 and size - own < multiple for own, size in zip(drawn, sizes, strict=True)
    )
    assert 0 <= found.padding(3, 50) < 1
