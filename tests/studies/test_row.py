"""Rows of a qualification: the worst reason that was not accepted decides."""

from __future__ import annotations

import pytest

from harness.studies.row import Reason, Row, Word, ordered, worst


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
        "reasons": ({"text": "a", "word": "no-go", "name": "", "accepted": ""},),
        "told": ("b",),
        "evidence": ("id",),
        "word": "no-go",
    }
