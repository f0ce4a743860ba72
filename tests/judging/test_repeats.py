from __future__ import annotations

import pytest

from harness.judging.repeats import by_arm, pooled
from harness.vocabulary.quantities import ArmMeasures, Quantity
from tests.checks.arms import arm


def _arm(value: float | None, repeat: int, name: str = "main") -> ArmMeasures:
    note = "" if value is not None else "nothing"
    return arm(Quantity("throughput", "samples/s", value, 30, note=note, samples=(1.0, 2.0)), name=name, repeat=repeat)


def test_repeats_are_in_order_of_their_number_and_arms_of_their_first_run() -> None:
    arms = [_arm(1, 1, "a"), _arm(1, 1, "b"), _arm(1, 3, "b"), _arm(1, 2, "b")]
    assert {of: [one.repeat for one in each] for of, each in by_arm(arms).items()} == {"a": [1], "b": [1, 2, 3]}


def test_one_run_is_what_it_is() -> None:
    alone = _arm(5, 1)
    assert pooled([alone]) is alone


def test_the_mean_has_students_interval() -> None:
    one = pooled([_arm(value, n + 1) for n, value in enumerate((9.0, 10.0, 11.0))])
    quantity = one.get("throughput")
    assert (one.arm, quantity.value, quantity.n, quantity.samples) == ("main", 10.0, 3, (9.0, 10.0, 11.0))
    assert (quantity.low, quantity.high) == (pytest.approx(7.5159, abs=1e-4), pytest.approx(12.4841, abs=1e-4))


def test_two_have_no_interval_and_what_is_missing_is_told() -> None:
    quantity = pooled([_arm(9.0, 1), _arm(None, 2), _arm(11.0, 3)]).get("throughput")
    assert (quantity.value, quantity.low, quantity.n) == (10.0, None, 2)
    assert quantity.note == "1 of 3 repeats have none"


def test_what_none_has_stays_missing() -> None:
    assert pooled([_arm(None, 1), _arm(None, 2)]).get("throughput").note == "nothing"


def test_two_repeats_tell_no_interval_and_say_so() -> None:
    quantity = pooled([_arm(9.0, 1), _arm(11.0, 2)]).get("throughput")
    assert (quantity.value, quantity.low, quantity.note) == (10.0, None, "two repeats tell no interval")


def test_steps_and_samples_have_no_mean() -> None:
    steps = arm(Quantity("throughput", "steps/s", 100.0, 30), repeat=2)
    quantity = pooled([_arm(3200.0, 1), steps, _arm(3200.0, 3)]).get("throughput")
    assert (quantity.value, "one is in samples/s, another in steps/s" in quantity.note) == (None, True)
