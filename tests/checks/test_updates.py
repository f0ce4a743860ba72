from __future__ import annotations

import pytest
from pydantic import ValidationError

from harness.checks.updates import Updates
from harness.vocabulary.quantities import Quantity
from tests.checks.arms import arm

CHECK = Updates.model_validate("exact")


def test_none_misapplied_passes_and_one_fails_by_name() -> None:
    assert CHECK.judge(arm(Quantity("misapplied_updates", "rows", 0)), None).verdict == "pass"
    finding = CHECK.judge(arm(Quantity("misapplied_updates", "rows", 1, note="worker/1 after step 7")), None)
    assert (finding.verdict, "worker/1 after step 7" in finding.reason) == ("fail", True)


def test_without_the_oracle_nothing_is_known() -> None:
    assert CHECK.judge(arm(), None).verdict == "invalid"


def test_only_exact_makes_sense() -> None:
    with pytest.raises(ValidationError):
        Updates.model_validate("nearly")


@pytest.mark.parametrize(("theirs", "verdict"), [(2, "pass"), (3, "pass"), (1, "fail"), (None, "invalid")])
def test_or_no_more_than_in_another_arm(theirs: float | None, verdict: str) -> None:
    mine, other = (arm(Quantity("misapplied_updates", "rows", rows)) for rows in (2, theirs))
    assert Updates.model_validate({"versus": "control"}).judge(mine, other).verdict == verdict
