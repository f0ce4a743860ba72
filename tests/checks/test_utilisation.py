from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from harness.checks.utilisation import Utilisation
from harness.statistics.comparison import Spread
from harness.vocabulary.quantities import ArmMeasures, Quantity
from tests.checks.arms import arm


def _busy(role: str, value: float, spread: float = 0.01) -> Quantity:
    return Quantity("utilisation", "fraction", value, 20, value - spread, value + spread, role)


def _judge(*quantities: Quantity, **limits: Any) -> tuple[str, str]:
    finding = Utilisation.model_validate(limits).judge(arm(*quantities), None)
    return finding.verdict, finding.reason


def test_the_least_busy_worker_decides_on_at_least() -> None:
    busy, idle = _busy("worker/0", 0.95), _busy("worker/1", 0.60)
    assert _judge(busy, idle, at_least="55%")[0] == "pass"
    assert _judge(busy, idle, at_least="70%") == (
        "fail",
        "worker/1 computes 60.0% of the time (59.0% to 61.0%) and worker/0 computes 95.0% of the time "
        "(94.0% to 96.0%); expected at least 70.0%",
    )


def test_the_busiest_worker_decides_on_at_most() -> None:
    busy, idle = _busy("worker/0", 0.95), _busy("worker/1", 0.60)
    assert _judge(busy, idle, at_most="70%")[0] == "fail"
    assert _judge(busy, idle, at_most="97%")[0] == "pass"


def test_a_worker_that_is_less_sure_decides_too() -> None:
    """Whose median is not the least or the most, but whose interval goes farther."""
    unsure = Quantity("utilisation", "fraction", 0.5, 20, 0.3, 0.9, "worker/0")
    verdict, reason = _judge(unsure, _busy("worker/1", 0.55), at_most="60%")
    assert verdict == "invalid"
    assert reason.startswith("worker/0 computes 50.0% of the time (30.0% to 90.0%); expected at most 60.0%")
    unsure = Quantity("utilisation", "fraction", 0.6, 20, 0.2, 0.95, "worker/1")
    assert _judge(_busy("worker/0", 0.55), unsure, at_least="50%")[0] == "invalid"


def test_the_worker_that_is_surely_beyond_is_told() -> None:
    unsure = Quantity("utilisation", "fraction", 0.5, 20, 0.2, 0.9, "worker/0")
    sure = Quantity("utilisation", "fraction", 0.42, 20, 0.40, 0.45, "worker/1")
    verdict, reason = _judge(unsure, sure, at_least="50%")
    assert (verdict, reason.startswith("worker/1 computes 42.0% of the time (40.0% to 45.0%)")) == ("fail", True)


def test_a_louder_machine_makes_the_comparison_no_narrower() -> None:
    check = Utilisation.model_validate({"versus": "control", "at_least": "70%"})
    wide, usual = (
        check.judge_repeats([_of(0.8)], [_of(0.95)], Spread(sd, "run to run", "calibrated")).comparison
        for sd in (0.3, 0.01)
    )
    assert wide is not None and usual is not None
    assert wide.detectable > 3 * usual.detectable


def test_an_interval_across_the_limit_says_nothing() -> None:
    assert _judge(_busy("worker/0", 0.70), at_least="70%")[0] == "invalid"


def test_what_was_not_measured_cannot_be_judged() -> None:
    missing = Quantity("utilisation", "fraction", None, note="set workload.phases: true")
    verdict, reason = _judge(missing, at_least="70%")
    assert (verdict, "set workload.phases: true" in reason) == ("invalid", True)
    samples = (0.4, 0.42, 0.5, 0.5, 0.58, 0.6)
    alike = Quantity("utilisation", "fraction", 0.5, 6, None, None, "worker/0", "too alike", samples)
    assert _judge(alike, at_least="30%")[0] == "pass"
    told = "worker/0 computes 50.0% of the time (33.5% to 71.6%; too alike); expected at least 39.0%"
    assert _judge(alike, at_least="39%") == ("invalid", told), "the range alone decides nothing"
    few = Quantity("utilisation", "fraction", 0.5, 3, subject="worker/0", note="too few for an interval")
    assert "worker/0 is not available: too few for an interval" in _judge(few, at_least="70%")[1]


@pytest.mark.parametrize("limits", [{}, {"at_least": "80%", "at_most": "70%"}])
def test_limits_must_make_sense(limits: dict[str, str]) -> None:
    with pytest.raises(ValidationError):
        Utilisation.model_validate(limits)


def _of(share: float, repeat: int = 1) -> ArmMeasures:
    samples = tuple(share + 0.001 * (number % 3) for number in range(30))
    idle, busy = (
        Quantity("utilisation", "fraction", each, 30, subject=role, samples=samples)
        for role, each in (("worker/0", share), ("worker/1", 0.99))
    )
    return arm(idle, busy, repeat=repeat)


def test_the_least_busy_worker_against_another_arms() -> None:
    check = Utilisation.model_validate({"versus": "control", "at_least": "80%"})
    assert check.judge_repeats([_of(0.9)], [_of(0.91)]).verdict == "invalid"  # one run of each, 9 % from run to run
    assert check.judge_repeats([_of(0.3)], [_of(0.9)]).verdict == "fail"
    three = range(1, 4)
    found = check.judge_repeats([_of(0.9 + n / 1000, n) for n in three], [_of(0.9 - n / 1000, n) for n in three])
    assert (found.verdict, found.reason.split(" (")[0]) == (
        "pass",
        "utilisation of the least busy worker 100.4% of control",
    )


def test_without_windows_utilisation_is_not_compared() -> None:
    check = Utilisation.model_validate({"versus": "control", "at_least": "80%"})
    finding = check.judge_repeats([arm(Quantity("utilisation", "fraction", None, note="no phases"))], [_of(0.9)])
    assert (finding.verdict, finding.reason) == ("invalid", "utilisation of any worker is not available: no phases")
