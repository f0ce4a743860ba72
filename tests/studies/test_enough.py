"""What would decide."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from harness.statistics.sequential import LEVEL, Look, critical, half_width, share
from harness.studies.enough import NEXT_LOOK, Course, Enough


def _course(count: int, spent: float) -> Course:
    """Of pairs of 10 s and a budget of 300 s, which was looked at after each pair."""
    looks = tuple(Look(n, share((n + 1) * 10 / 300)) for n in range(1, count + 1))
    return Course(300.0, spent, 10.0, count, looks, LEVEL)


def test_within_the_budget_so_many_pairs_as_its_end_takes() -> None:
    assert _course(10, 100.0).enough(25) == Enough(25, 300.0)
    assert _course(10, 100.0).enough(30) == Enough(30, 300.0)
    assert _course(10, 100.0).enough(10) == Enough(30, 300.0), "as many are there, and have not decided"


@pytest.mark.parametrize("more", [31, 40, 80])
def test_beyond_it_the_first_look_that_is_narrow_enough(more: int) -> None:
    """Pairs are worth less there: nearly all of the level is spent."""
    course = _course(30, 300.0)
    found = course.enough(more)
    assert found is not None
    assert found.pairs > 1.2 * more
    at = found.budget / 300.0
    assert 2 * math.log2(at) == pytest.approx(round(2 * math.log2(at))), "where something may be spent"
    looks, budget, narrow = [*course.looks], 300.0 * NEXT_LOOK, []
    while budget <= found.budget + 1:
        looks.append(Look(int(budget / 10.0 + 1e-9), share(budget / 300.0)))
        narrow.append(critical(tuple(looks), LEVEL)[-1] / math.sqrt(looks[-1].n) <= half_width(more, 1.0))
        budget *= NEXT_LOOK
    assert narrow == [*[False] * (len(narrow) - 1), True]


def test_a_look_that_has_no_room_for_a_pair_is_none() -> None:
    late = _course(29, 295.0).enough(29)
    assert late is not None
    assert late.budget > 420.0


def test_more_than_thousands_are_nobodys() -> None:
    assert _course(30, 300.0).enough(9_000) is None
    assert replace(_course(30, 300.0), usual=1e-3).enough(31) is None
