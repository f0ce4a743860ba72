from __future__ import annotations

import pytest

from harness.checks.goodput import Goodput
from harness.vocabulary.quantities import Quantity
from tests.checks.arms import arm

CHECK = Goodput.model_validate({"versus": "control", "at_least": "50%"})


def _goodput(value: float, spread: float) -> Quantity:
    return Quantity("goodput", "samples/s", value, 20, value - spread, value + spread)


@pytest.mark.parametrize(
    ("mine", "spread", "verdict"), [(80.0, 5.0, "pass"), (20.0, 5.0, "fail"), (50.0, 5.0, "invalid")]
)
def test_the_share_of_the_others(mine: float, spread: float, verdict: str) -> None:
    finding = CHECK.judge(arm(_goodput(mine, spread)), arm(_goodput(100.0, 1.0), name="control"))
    assert finding.verdict == verdict


def test_it_is_told_with_its_interval() -> None:
    finding = CHECK.judge(arm(_goodput(80.0, 5.0)), arm(_goodput(100.0, 0.0), name="control"))
    assert finding.reason.startswith("80.0% of control (75.0% to 85.0%); expected at least 50.0%; detectable: ±")


def test_what_was_not_measured_cannot_be_compared() -> None:
    missing = Quantity("goodput", "samples/s", None, note="no window ended")
    finding = CHECK.judge(arm(missing), arm(_goodput(1.0, 0.1), name="control"))
    assert (finding.verdict, "no window ended" in finding.reason) == ("invalid", True)
