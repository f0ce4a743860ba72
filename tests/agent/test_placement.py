"""Twins keep to the same processors."""

from __future__ import annotations

import pytest

from harness.agent import placement
from harness.vocabulary.instructions import Share


@pytest.mark.parametrize(
    ("place", "of", "threads", "allowed", "own"),
    [
        (0, 1, 1, {0, 1}, {0, 1}),
        (0, 3, 1, {0, 1}, {0}),
        (1, 3, 1, {0, 1}, {1}),
        (2, 3, 1, {0, 1}, {0}),
        (1, 3, 2, {0, 1}, {0, 1}),
        (0, 2, 1, {2, 3, 5, 7}, {2, 3}),
        (1, 2, 1, {2, 3, 5, 7}, {5, 7}),
        (1, 3, 1, {0, 1, 2, 3, 4, 5, 6}, {2, 3}),
        (3, 4, 2, {0, 1, 2, 3}, {0, 3}),
        (5, 8, 16, {4}, {4}),
    ],
)
def test_processes_get_equal_parts(place: int, of: int, threads: int, allowed: set[int], own: set[int]) -> None:
    assert placement.processors(Share(place, of, threads), allowed) == own


def test_the_main_thread_is_apart_where_there_is_room_and_one_that_computes() -> None:
    assert placement.environment(Share(0, 1, 1), {0, 1}) == {"HARNESS_MAIN_APART": "1"}
    assert placement.environment(Share(0, 1, 2), {0, 1}) == {}
    assert placement.environment(Share(0, 2, 1), {0}) == {}
