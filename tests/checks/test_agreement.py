from __future__ import annotations

import pytest
from pydantic import ValidationError

from harness.checks import Finding
from harness.checks.agreement import Agreement
from harness.vocabulary.quantities import Quantity
from tests.checks.arms import arm

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
