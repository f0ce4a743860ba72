from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from harness.checks.updates import Updates
from harness.vocabulary.quantities import ArmMeasures, Quantity
from tests.checks.arms import arm

CHECK = Updates.model_validate("exact")


def test_none_misapplied_passes_and_one_fails_by_name() -> None:
    assert CHECK.judge(arm(Quantity("misapplied_updates", "rows", 0)), None).verdict == "pass"
    finding = CHECK.judge(arm(Quantity("misapplied_updates", "rows", 1, note="worker/1 after step 7")), None)
    assert (finding.verdict, "worker/1 after step 7" in finding.reason) == ("fail", True)


def test_nothing_is_said_of_updates_that_never_came() -> None:
    finding = CHECK.judge(arm(Quantity("misapplied_updates", "rows", 0), outcome="hung"), None)
    told = "no row shows other updates than were sent until then, but main did not train to its end"
    assert (finding.verdict, finding.reason) == ("invalid", told)


def test_without_the_oracle_nothing_is_known() -> None:
    assert CHECK.judge(arm(), None).verdict == "invalid"


def test_only_exact_makes_sense() -> None:
    with pytest.raises(ValidationError):
        Updates.model_validate("nearly")


def _rows(*each: float | None, outcome: Any = "completed") -> list[ArmMeasures]:
    return [arm(Quantity("misapplied_updates", "rows", rows), outcome=outcome) for rows in each]


@pytest.mark.parametrize(
    ("mine", "theirs", "verdict"),
    [
        (_rows(0), _rows(3), "pass"),
        (_rows(2), _rows(3), "invalid"),
        (_rows(2, 1, 4, 3, 2), _rows(3, 2, 2, 4, 3), "invalid"),
        (_rows(9, 8, 9), _rows(1, 2, 1), "fail"),
        (_rows(1, 1, 1, 1, 1), _rows(0, 0, 0, 0, 0), "invalid"),
        (_rows(1, 1, 1, 1, 1, 1), _rows(0, 0, 0, 0, 0, 0), "fail"),
        (_rows(1, 2, 1), _rows(9, 8, 9), "pass"),
        (_rows(None), _rows(1), "invalid"),
        (_rows(0, outcome="hung"), _rows(1), "invalid"),
    ],
)
def test_or_no_more_than_in_another_arm(mine: list[ArmMeasures], theirs: list[ArmMeasures], verdict: str) -> None:
    """Over repeats: one that lost more says nothing, as the other may lose more the next time."""
    assert Updates.model_validate({"versus": "control"}).judge_repeats(mine, theirs).verdict == verdict
