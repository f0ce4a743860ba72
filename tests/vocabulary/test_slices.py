"""Slices cover the time once, and count what is ours."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.vocabulary.slices import Slices


def test_sides_take_turns_in_either_order() -> None:
    first, other = Slices(10.0, 2.0, 0, 2), Slices(10.0, 2.0, 1, 2)
    assert [first.ours(10.5 + at) for at in (0, 2, 4, 6, 8)] == [True, False, False, True, True]
    assert [other.ours(10.5 + at) for at in (0, 2, 4, 6, 8)] == [False, True, True, False, False]
    assert [first.active(at) for at in (10.0, 11.0, 12.0, 15.0, 16.0, 17.0, 19.0)] == [0, 1, 2, 2, 2, 3, 5]
    assert [first.next_edge(at) for at in (10.0, 12.0, 16.5)] == [12.0, 16.0, 18.0]


@given(st.floats(0, 1000), st.integers(1, 4), st.floats(0.001, 5))
def test_every_moment_is_of_one_side_and_none_is_lost(t: float, of: int, length: float) -> None:
    sides = [Slices(0.0, length, place, of) for place in range(of)]
    assert sum(side.ours(t) for side in sides) == 1
    assert sum(side.active(t) for side in sides) == pytest.approx(t)
    assert all(t < side.next_edge(t) <= t + 2 * of * length + 1e-6 for side in sides)
