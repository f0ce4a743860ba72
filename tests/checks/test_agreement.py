from __future__ import annotations

import pytest
from pydantic import ValidationError

from harness.checks import Finding
from harness.checks.agreement import Agreement
from harness.vocabulary.quantities import ArmMeasures, Quantity
from tests.checks.arms import arm

A = "a" * 12
CHECK = Agreement.model_validate(True)


def test_equal_weights_pass() -> None:
    finding = CHECK.judge(arm(Quantity("different_weights", "digests", 1, 2, note="a" * 64)), None)
    assert finding == Finding("pass", "2 copies of the weights are the same, bit by bit (aaaaaaaaaaaa)")


def test_different_weights_fail_and_say_who_holds_what() -> None:
    note = "worker/0 aaa, worker/1 bbb"
    finding = CHECK.judge(arm(Quantity("different_weights", "digests", 2, 2, note=note)), None)
    assert finding == Finding("fail", f"2 copies of the weights are of 2 kinds: {note}")


def test_a_silent_worker_leaves_it_open() -> None:
    assert CHECK.judge(
        arm(Quantity("different_weights", "digests", None, 1, note="worker/1 reported no weights")), None
    ) == Finding("invalid", "agreement cannot be judged: worker/1 reported no weights")


def test_only_true_can_be_expected() -> None:
    with pytest.raises(ValidationError):
        Agreement.model_validate(False)


def _weights(digest: str, kinds: int | None = 1, name: str = "main") -> ArmMeasures:
    return arm(Quantity("different_weights", "digests", kinds, 2, note=digest), name=name)


def _versus(mine: list[ArmMeasures], theirs: list[ArmMeasures]) -> tuple[str, str]:
    finding = Agreement.model_validate({"versus": "control"}).judge_repeats(mine, theirs)
    return finding.verdict, finding.reason


def test_or_the_weights_are_those_of_another_arm() -> None:
    mine = _weights("a" * 64)
    assert _versus([mine], [_weights("a" * 64)]) == ("pass", f"the same weights as control, bit by bit ({A})")
    assert _versus([mine], [_weights("gone", None, "control")])[1] == "the weights of control are not known: gone"
    assert _versus([mine], [_weights("x, y", 2, "control")]) == (
        "invalid",
        "the weights of control are of 2 kinds: x, y",
    )
    assert _versus([_weights("x, y", 2)], [_weights("a" * 64, 1, "control")]) == (
        "fail",
        "the weights of main are of 2 kinds: x, y",
    )


def test_other_weights_mean_something_where_the_other_arm_repeats_itself() -> None:
    told = f"other weights ({A}) than control (bbbbbbbbbbbb)"
    mine, theirs = _weights("a" * 64), _weights("b" * 64, 1, "control")
    assert _versus([mine], [theirs]) == (
        "invalid",
        f"{told}, which may not repeat itself: give repeat: 2, with one seed",
    )
    assert _versus([mine, mine], [theirs, theirs]) == ("fail", told)
    other = _weights("c" * 64, 1, "control")
    assert _versus([mine, mine], [theirs, other]) == ("invalid", f"{told}, which does not repeat itself either")
