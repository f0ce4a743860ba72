"""Rows of a qualification: the worst reason that was not accepted decides."""

from __future__ import annotations

import pytest

from harness.studies.accepted import Acceptance
from harness.studies.row import Reason, Row, Word, accepting, in_short, ordered, worst


@pytest.mark.parametrize(
    ("words", "word"),
    [
        ((), "go"),
        (("go", "go"), "go"),
        (("go", "not decided"), "not decided"),
        (("not decided", "no-go", "go"), "no-go"),
    ],
)
def test_the_worst_word(words: tuple[Word, ...], word: Word) -> None:
    assert worst(words) == word


def test_what_is_accepted_does_not_count_and_comes_last() -> None:
    known, open_, doubt = Reason("a", "no-go", "a", "known"), Reason("b", "no-go"), Reason("c", "not decided")
    assert ordered([known, doubt, open_]) == (open_, doubt, known)
    assert Row("t", (known,)).word == "go"
    assert Row("t", (known, doubt)).word == "not decided"
    assert Row("t", (known, open_)).word == "no-go"


def test_json_has_the_word() -> None:
    body = Row("t", (Reason("a"),), ("b",), ("id",)).as_json()
    assert body == {
        "title": "t",
        "reasons": ({"text": "a", "word": "no-go", "name": "", "accepted": "", "group": "", "size": None},),
        "told": ("b",),
        "evidence": ("id",),
        "word": "no-go",
    }


def _slow(count: int) -> list[Reason]:
    return [Reason(f"op{number} is slow", name=f"operator op{number}", group="slow ones") for number in range(count)]


def test_what_is_one_of_many_is_told_in_one_line_at_the_place_of_the_first() -> None:
    before, after = Reason("before"), Reason("after", "not decided")
    assert list(in_short([before, *_slow(3), after])) == [before, *_slow(3), after]
    text = "4 slow ones, the worst: op0 is slow; op1 is slow; op2 is slow"
    assert list(in_short([before, *_slow(4), after])) == [
        before, Reason(text, name="slow ones", group="slow ones"), after
    ]  # fmt: skip


def test_those_of_a_group_that_are_accepted_are_not_among_those_that_count() -> None:
    row = accepting(Row("t", tuple(_slow(8))), {"operator op0": Acceptance("known")})
    assert [each.text.split(",")[0] for each in in_short(row.reasons)] == ["7 slow ones", "op0 is slow"]
    assert row.word == "no-go"


def test_a_group_is_accepted_by_its_name() -> None:
    other = Reason("other", name="other")
    row = accepting(Row("t", (*_slow(2), other)), {"slow ones": Acceptance("calls as such")})
    assert [each.accepted for each in row.reasons] == ["", "calls as such", "calls as such"]
    assert row.reasons[0] == other


@pytest.mark.parametrize(
    ("size", "text", "word"),
    [
        (0.03, "slower", "go"),
        (0.45, "slower; accepted up to 5 % only", "no-go"),
        (None, "slower; accepted up to 5 % only, and this has no size", "no-go"),
    ],
)
def test_what_is_accepted_up_to_a_size_counts_beyond_it(size: float | None, text: str, word: Word) -> None:
    row = accepting(Row("t", (Reason("slower", name="speed", size=size),)), {"speed": Acceptance("known", 0.05)})
    assert (row.reasons[0].text, row.word) == (text, word)


def test_a_name_holds_where_its_group_does_not() -> None:
    known = {"slow ones": Acceptance("calls as such", 0.1), "operator op0": Acceptance("never called")}
    row = accepting(Row("t", tuple(_slow(1))), known)
    assert [each.accepted for each in row.reasons] == ["never called"]
