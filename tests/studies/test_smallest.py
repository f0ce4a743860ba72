"""How small a call may be that still fails in one target only."""

from __future__ import annotations

from typing import Any

import pytest

from harness.studies import smallest as smaller_calls
from harness.studies.parity import Difference
from harness.studies.smallest import can_be_smaller, smaller, smallest
from harness.studies.unlike import Case

CASE: dict[str, Any] = {"case": "op(4x6n,6n) base", "op": "op", "shapes": [[4, 6], [6]], "variant": "base"}
OK: dict[str, Any] = {"status": "ok", "outputs": [], "gradients": [], "changed": {}}
FAILS = Difference("op", "crashes", CASE, "the process ends", 7)


def test_sizes_that_are_alike_become_less_together_the_largest_first() -> None:
    found = list(smaller([[4, 6], [6]]))
    assert found == [[[4, 1], [1]], [[4, 3], [3]], [[1, 6], [6]], [[2, 6], [6]]]
    assert list(smaller([[2, 2]])) == [[[1, 1]]]
    assert list(smaller([[1], []])) == []


def test_it_is_made_smaller_as_long_as_it_fails_in_the_new_one_alone() -> None:
    asked = list[list[list[int]]]()

    def ask(case: Case) -> tuple[Case, Case]:
        asked.append(case["shapes"])
        crashes = case["shapes"][0][0] >= 3
        return OK, {"status": "crashed", "signal": 11} if crashes else OK

    found = smallest(FAILS, ask)
    assert (found.case["shapes"], found.how, found.cases) == ([[4, 1], [1]], "the process ends by signal 11", 7)
    assert asked == [[[4, 6], [6]], [[4, 1], [1]], [[1, 1], [1]], [[2, 1], [1]]]


def test_what_fails_otherwise_or_in_both_is_not_it() -> None:
    hangs = {"status": "hung", "signal": None}
    assert smallest(FAILS, lambda case: (OK, hangs)) == FAILS
    assert smallest(FAILS, lambda case: ({"status": "crashed"}, {"status": "crashed"})) == FAILS


def test_what_the_old_one_refuses_is_not_it() -> None:
    def ask(case: Case) -> tuple[Case, Case]:
        works = case["shapes"][0][1] == 6
        return OK if works else {"status": "error", "message": "no"}, {"status": "crashed", "signal": 11}

    assert smallest(FAILS, ask).case["shapes"] == [[1, 6], [6]]


def test_it_is_not_tried_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(smaller_calls, "MOST_TRIES", 2)
    tries = list[Case]()
    smallest(FAILS, lambda case: tries.append(case) or (OK, OK))
    assert len(tries) == 3


@pytest.mark.parametrize(
    ("difference", "possible"),
    [
        (FAILS, True),
        (Difference("op", "is not finite", CASE, ""), True),
        (Difference("op", "other values", CASE, ""), False),
        (Difference("op", "crashes", {**CASE, "shapes": [[1], []]}, ""), False),
        (Difference("op", "crashes", {**CASE, "program": "outputs = []"}, ""), False),
        (Difference("op", "crashes", {**CASE, "env": {"MXNET_ENGINE_TYPE": "NaiveEngine"}}, ""), False),
    ],
)
def test_what_can_be_smaller(difference: Difference, possible: bool) -> None:
    assert can_be_smaller(difference) == possible


def test_a_case_of_an_older_sweep_that_tells_no_shapes_stays_as_it_is() -> None:
    assert not can_be_smaller(Difference("op", "crashes", {"case": "op(2n) base", "op": "op"}, "the process ends"))
