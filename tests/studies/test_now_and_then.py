"""Whether what only the new target does now and then is more than chance."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from harness.studies import now_and_then
from harness.studies.parity import Difference, Parity

OK: dict[str, Any] = {"op": "op", "case": "op()", "status": "ok", "outputs": [], "gradients": [], "changed": {}}
CRASH = {"op": "op", "case": "op()", "status": "crashed", "signal": 6}
FOUND = Difference("op", "crashes now and then", {**OK, **CRASH}, "so in 1 of 3 passes, and never in the old one")
PARITY = Parity((), (), ("op",), 1, 1, (), (), (), fickle=(FOUND,))


@pytest.mark.parametrize(
    ("old", "new", "stays"), [(0, 0, False), (0, 3, False), (0, 4, True), (2, 5, False), (8, 8, False), (1, 8, True)]
)
def test_more_often_than_chance(old: int, new: int, stays: bool) -> None:
    calls = [[*[CRASH] * each, *[OK] * (now_and_then.TIMES - each)] for each in (old, new)]
    line = now_and_then.line(FOUND, OK, *calls)
    found = now_and_then.with_more(PARITY, [line])
    assert (len(found.fickle), found.by_chance) == ((1, ()) if stays else (0, ("op",)))
    if stays:
        assert found.fickle[0].how.endswith(f"asked 8 times more by itself, {new} times so, {old} times in the old one")


def test_other_values_are_no_crash() -> None:
    other = {**OK, "outputs": [{"dtype": "float32", "shape": [1], "data": "AACAPw=="}]}
    assert now_and_then.line(FOUND, OK, [other] * 8, [CRASH, *[other] * 7])["old"] == 0
    unsteady = replace(FOUND, kind="does not repeat itself")
    assert now_and_then.line(unsteady, OK, [other] * 8, [CRASH, *[other] * 7])["old"] == 8


def test_what_was_seen_twice_is_not_cleared_by_calls_alone() -> None:
    twice = replace(FOUND, cases=2)
    for old, stays in ((0, True), (1, False)):
        calls = [[*[CRASH] * each, *[OK] * (now_and_then.TIMES - each)] for each in (old, 0)]
        found = now_and_then.with_more(replace(PARITY, fickle=(twice,)), [now_and_then.line(twice, OK, *calls)])
        assert bool(found.fickle) == stays


def test_what_nobody_asked_more_about_stays() -> None:
    assert now_and_then.with_more(PARITY, []) == PARITY
    other = {"op": "op", "case": "op() other", "passes": 1, "old": 0, "new": 0, "times": 8}
    assert now_and_then.with_more(PARITY, [other]) == PARITY
    assert now_and_then.with_more(replace(PARITY, fickle=()), [other]).by_chance == ()
