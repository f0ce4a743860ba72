"""Who goes first when two take turns."""

from __future__ import annotations

from harness.vocabulary.turns import is_reversed


def test_the_sequence_of_thue_and_morse() -> None:
    assert [int(is_reversed(number)) for number in range(12)] == [0, 1, 1, 0, 1, 0, 0, 1, 1, 0, 0, 1]


def test_both_orders_come_as_often_in_any_few_rounds() -> None:
    for begin in range(-8, 200):
        several = [is_reversed(number) for number in range(begin, begin + 20)]
        assert 8 <= sum(several) <= 12
