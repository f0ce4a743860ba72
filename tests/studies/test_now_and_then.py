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
    line = now_and_then.line(FOUND, OK, 3, *calls)
    found = now_and_then.with_more(PARITY, [line])
    assert (len(found.fickle), found.by_chance) == ((1, ()) if stays else (0, ("op",)))
    if stays:
        assert found.fickle[0].how.endswith(f"asked 8 times more by itself, {new} times so, {old} times in the old one")


def test_other_values_are_no_crash() -> None:
    other = {**OK, "outputs": [{"dtype": "float32", "shape": [1], "data": "AACAPw=="}]}
    assert now_and_then.line(FOUND, OK, 3, [other] * 8, [CRASH, *[other] * 7])["old"] == 0
    unsteady = replace(FOUND, kind="does not repeat itself")
    assert now_and_then.line(unsteady, OK, 3, [other] * 8, [CRASH, *[other] * 7])["old"] == 8


@pytest.mark.parametrize(
    ("seen", "passes", "old", "stays"),
    [(2, 3, 0, False), (3, 3, 0, True), (3, 5, 0, False), (4, 5, 0, True), (4, 5, 1, False)],
)
def test_what_passes_tell_beyond_chance_is_not_cleared_by_calls_alone(
    seen: int, passes: int, old: int, stays: bool
) -> None:
    often = replace(FOUND, cases=seen)
    calls = [[*[CRASH] * each, *[OK] * (now_and_then.TIMES - each)] for each in (old, 0)]
    line = now_and_then.line(often, OK, passes, *calls)
    found = now_and_then.with_more(replace(PARITY, fickle=(often,)), [line])
    assert bool(found.fickle) == stays


def test_lines_of_older_versions_are_of_three_passes() -> None:
    kept = {"op": "op", "case": "op()", "passes": 2, "old": 0, "new": 0, "times": 8}
    assert now_and_then.with_more(PARITY, [kept]).by_chance == ("op",)
    assert now_and_then.with_more(PARITY, [{**kept, "new": 4}]).fickle
    assert now_and_then.with_more(PARITY, [{**kept, "passes": 4}]).fickle, "NaiveEngine is one more"


def test_what_nobody_asked_more_about_stays() -> None:
    assert now_and_then.with_more(PARITY, []) == PARITY
    other = {"op": "op", "case": "op() other", "passes": 1, "old": 0, "new": 0, "times": 8}
    assert now_and_then.with_more(PARITY, [other]) == PARITY
    assert now_and_then.with_more(replace(PARITY, fickle=()), [other]).by_chance == ()


def test_passes_and_calls_that_are_chance_each_may_not_be_together() -> None:
    """Of 3 of 6 and 3 of 8 against none: 0.8 %; of 2 of 6 and 3 of 8 2 %, which is not enough."""
    kept = {"op": "op", "case": "op()", "old": 0, "times": 8, "of": 6}
    assert now_and_then.with_more(PARITY, [{**kept, "passes": 3, "new": 3}]).fickle
    assert now_and_then.with_more(PARITY, [{**kept, "passes": 2, "new": 3}]).by_chance == ("op",)


def _values(data: str) -> dict[str, Any]:
    return {**OK, "outputs": [{"dtype": "float32", "shape": [1], "data": data}]}


@pytest.mark.parametrize(("old", "seen", "kind"), [(0, 6, "other values"), (1, 6, None), (0, 5, None)])
def test_what_is_never_as_it_was_is_a_difference(old: int, seen: int, kind: str | None) -> None:
    """As gradients of max pooling in inference mode: other ones each time, and the old one's never."""
    usual, others = _values("AACAPw=="), [_values(data) for data in ("AAAAQA==", "AABAQA==") * 4]
    unsteady = replace(FOUND, kind="does not repeat itself", cases=seen)
    calls = [others[0]] * old + [usual] * (8 - old)
    line = now_and_then.line(unsteady, usual, 6, calls, others)
    found = now_and_then.with_more(replace(PARITY, fickle=(unsteady,)), [line])
    assert [each.kind for each in found.differences] == ([kind] if kind else [])
    assert bool(found.fickle) == (kind is None)
    if kind:
        assert found.differences[0].how == "output 0: 1 is 2, at 0; others each time, in 6 passes and 8 calls by itself"
