from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from harness.checks import Finding
from harness.checks.outcome import Outcome
from harness.vocabulary.quantities import ArmMeasures
from tests.checks.arms import arm


def test_what_was_expected_passes() -> None:
    assert Outcome.model_validate("hung").judge(arm(outcome="hung"), None) == Finding("pass", "hung: the reason")


def test_anything_else_fails_with_both_words() -> None:
    finding = Outcome.model_validate("completed").judge(arm(outcome="crashed"), None)
    assert finding == Finding("fail", "crashed, expected completed: the reason")


@pytest.mark.parametrize("outcome", ["interrupted", "aborted"])
def test_a_run_that_was_cut_short_says_nothing(outcome: str) -> None:
    assert Outcome.model_validate("completed").judge(arm(outcome=outcome), None).verdict == "invalid"  # type: ignore[arg-type]


def test_a_history_without_an_end_is_invalid() -> None:
    assert (
        Outcome.model_validate("hung").judge(ArmMeasures("main", "main", 1, 0, None, (), {}), None).verdict == "invalid"
    )


def test_only_known_words() -> None:
    with pytest.raises(ValidationError):
        Outcome.model_validate("aborted")


@pytest.mark.parametrize(
    ("theirs", "verdict", "reason"),
    [
        ("hung", "pass", "hung as fast: the reason"),
        ("completed", "fail", "hung, expected completed, as fast did: the reason"),
        ("interrupted", "invalid", "fast has no outcome to compare with"),
    ],
)
def test_or_it_ends_as_another_arm_does(theirs: Any, verdict: str, reason: str) -> None:
    check = Outcome.model_validate({"versus": "fast"})
    finding = check.judge(arm(outcome="hung"), arm(name="fast", outcome=theirs))
    assert (finding.verdict, finding.reason) == (verdict, reason)
    assert check.baseline == "fast"


def test_a_word_and_another_arm_are_not_both_expected() -> None:
    with pytest.raises(ValidationError):
        Outcome.model_validate({"versus": "fast", "is_": "hung"})
    with pytest.raises(ValidationError):
        Outcome.model_validate({})
