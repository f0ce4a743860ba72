from __future__ import annotations

import json
import math

import pytest
from pydantic import ValidationError

from harness.checks.throughput import Throughput
from harness.judging.verdict import Judged, Verdict
from harness.measures import from_samples
from harness.vocabulary.quantities import ArmMeasures
from tests.checks.arms import arm


def _arm(level: float, name: str = "throughput") -> ArmMeasures:
    return arm(from_samples(name, "samples/s", [level * (1 + 0.01 * (i % 5 - 2)) for i in range(20)]))


@pytest.mark.parametrize(("level", "verdict"), [(50, "pass"), (20, "fail"), (30, "invalid")])
def test_at_least(level: float, verdict: str) -> None:
    check = Throughput.model_validate({"versus": "control", "at_least": "30%"})
    assert check.judge(_arm(level), _arm(100)).verdict == verdict


@pytest.mark.parametrize(("level", "verdict"), [(50, "pass"), (90, "fail"), (70, "invalid")])
def test_at_most(level: float, verdict: str) -> None:
    check = Throughput.model_validate({"versus": "control", "at_most": "70%"})
    assert check.judge(_arm(level), _arm(100)).verdict == verdict


def test_the_reason_says_interval_limit_and_what_could_have_been_seen() -> None:
    check = Throughput.model_validate({"versus": "control", "at_least": "30%", "at_most": "70%"})
    reason = check.judge(_arm(50), _arm(100)).reason
    assert reason.startswith("throughput by windows 50.0% of control (")
    assert "expected at least 30.0% and at most 70.0%; detectable: ±" in reason


def test_during_a_fault_only_windows_within_it_count() -> None:
    check = Throughput.model_validate({"versus": "control", "at_least": "30%", "during": "fault"})
    assert check.judge(_arm(50, "throughput_in_fault"), _arm(100)).verdict == "pass"
    assert check.judge(_arm(50), _arm(100)).verdict == "invalid"


def test_too_few_windows_are_invalid() -> None:
    few = arm(from_samples("throughput", "samples/s", [1.0] * 5))
    check = Throughput.model_validate({"versus": "control", "at_least": "30%"})
    finding = check.judge(few, _arm(100))
    assert finding.verdict == "invalid"
    assert "5 and 20 windows, at least 6 are needed" in finding.reason


def test_a_limit_is_needed() -> None:
    with pytest.raises(ValidationError, match="give at_least, at_most or both"):
        Throughput.model_validate({"versus": "control"})


def test_steps_are_not_compared_with_samples() -> None:
    check = Throughput.model_validate({"versus": "control", "at_least": "30%"})
    steps = arm(from_samples("throughput", "steps/s", [3.0] * 20))
    finding = check.judge(steps, _arm(100))
    assert (finding.verdict, finding.reason) == (
        "invalid",
        "throughput cannot be compared with control: one is in samples/s, another in steps/s, as not all batches were "
        "seen",
    )


def test_windows_that_become_too_few_as_they_are_joined_are_told() -> None:
    """Those of the other arm stand for two each."""
    check = Throughput.model_validate({"versus": "control", "at_least": "30%", "during": "fault"})
    few = arm(from_samples("throughput_in_fault", "samples/s", [float(n) for n in range(10, 20)]))
    long = arm(from_samples("throughput", "samples/s", [float(n) for n in range(10, 30)], stride=2), name="control")
    finding = check.judge(few, long)
    assert finding.verdict == "invalid"
    assert finding.reason.endswith("5 and 20 windows, at least 6 are needed")


def test_a_baseline_that_may_be_idle_has_an_open_end() -> None:
    """Of few windows one without a sample is enough; the verdict can be stored, and read again."""
    check = Throughput.model_validate({"versus": "control", "at_least": "30%"})
    idle = from_samples("throughput", "samples/s", [0.0, 0.0, 0.0, 0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0])
    finding = check.judge(arm(from_samples("throughput", "samples/s", [1.0] * 10)), arm(idle, name="control"))
    assert finding.comparison is not None
    assert math.isinf(finding.comparison.high)
    assert " to any number; 1 run of each" in finding.reason and "detectable" not in finding.reason
    judged = Judged("main", "throughput", finding.verdict, finding.reason, finding.comparison)
    body = Verdict("run", "t", "pass", "", [judged], [], [], [], {}).as_json()
    again = Verdict.from_json(json.loads(json.dumps(body, allow_nan=False)))
    assert again.checks[0].comparison == finding.comparison
