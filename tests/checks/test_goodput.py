from __future__ import annotations

from dataclasses import replace

import pytest

from harness.checks.goodput import Goodput
from harness.vocabulary.quantities import Quantity
from tests.checks.arms import arm

CHECK = Goodput.model_validate({"versus": "control", "at_least": "50%"})


def _goodput(value: float) -> Quantity:
    samples = tuple(value * (1 + 0.01 * (n * 7 % 5 - 2)) for n in range(20))
    return Quantity("goodput", "samples/s", value, 20, value - 1, value + 1, samples=samples)


@pytest.mark.parametrize(("mine", "verdict"), [(80.0, "pass"), (20.0, "fail"), (50.0, "invalid")])
def test_the_share_of_the_others(mine: float, verdict: str) -> None:
    finding = CHECK.judge(arm(_goodput(mine)), arm(_goodput(100.0), name="control"))
    assert finding.verdict == verdict


def test_one_run_of_each_says_so() -> None:
    reason = CHECK.judge(arm(_goodput(50.0)), arm(_goodput(100.0), name="control")).reason
    assert reason.startswith("goodput by the clock 50.0% of control (")
    assert "; 1 run of each, and 9% from run to run as a cautious default); expected at least 50.0%" in reason
    assert reason.endswith("the interval lies across the limit, give repeat: 5")


def test_repeats_decide_what_one_run_cannot() -> None:
    subjects = [arm(_goodput(55.0 + n % 2), repeat=n + 1) for n in range(6)]
    baselines = [arm(_goodput(100.0), name="control", repeat=n + 1) for n in range(6)]
    finding = CHECK.judge_repeats(subjects, baselines)
    assert finding.verdict == "pass"
    assert "; 6 repeats of each)" in finding.reason


def test_what_was_not_measured_cannot_be_compared() -> None:
    missing = Quantity("goodput", "samples/s", None, note="no window ended")
    finding = CHECK.judge(arm(missing), arm(_goodput(1.0), name="control"))
    assert (finding.verdict, "no window ended" in finding.reason) == ("invalid", True)
    noted = replace(_goodput(1.0), note="too alike for an interval")
    finding = CHECK.judge(arm(noted), arm(missing, name="control"))
    assert finding.reason == "goodput cannot be compared with control: no window ended"
    few = replace(noted, samples=(1.0, 2.0, 3.0))
    finding = CHECK.judge(arm(noted), arm(few, name="control"))
    assert finding.reason == "goodput cannot be compared with control: 20 and 3 windows, at least 6 are needed"
