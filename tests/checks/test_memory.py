from __future__ import annotations

from collections.abc import Callable

import pytest
from pydantic import ValidationError

from harness.base.errors import ScenarioError
from harness.checks import Finding
from harness.checks.memory import Memory
from harness.planning.plan import Plan
from harness.vocabulary.quantities import ArmMeasures, Quantity
from tests.checks.arms import arm
from tests.conftest import SCENARIO

MB = 1_000_000


def _arm() -> ArmMeasures:
    return arm(
        Quantity("peak_memory", "B", 100 * MB, 1, 100 * MB, 100 * MB, "worker/0"),
        Quantity("peak_memory", "B", 300 * MB, 1, 300 * MB, 300 * MB, "worker/1"),
        Quantity("memory_growth", "B/1000 steps", 5 * MB, 20, 4 * MB, 6 * MB, subject="worker/0"),
        Quantity("held_beyond_live_fraction", "fraction", None, subject="worker/0", note="not asked for"),
    )


@pytest.mark.parametrize(("limit", "verdict"), [("400MB", "pass"), ("200MB", "fail")])
def test_the_worker_that_holds_most_decides(limit: str, verdict: str) -> None:
    assert Memory.model_validate({"peak_at_most": limit}).judge(_arm(), None).verdict == verdict


@pytest.mark.parametrize(("limit", "verdict"), [("7MB", "pass"), ("3MB", "fail"), ("5MB", "invalid")])
def test_growth_is_judged_by_its_interval(limit: str, verdict: str) -> None:
    assert Memory.model_validate({"growth_at_most": limit}).judge(_arm(), None).verdict == verdict


def test_a_worker_that_leaves_it_open_outranks_one_that_holds_more() -> None:
    arms = arm(
        Quantity("memory_growth", "B/1000 steps", 5 * MB, 20, 4 * MB, 6 * MB, subject="worker/0"),
        Quantity("memory_growth", "B/1000 steps", 4 * MB, 20, -10 * MB, 50 * MB, subject="worker/1"),
    )
    assert Memory.model_validate({"growth_at_most": "7MB"}).judge(arms, None).verdict == "invalid"


def test_the_worst_of_several_limits_counts() -> None:
    check = Memory.model_validate({"peak_at_most": "200MB", "growth_at_most": "7MB"})
    finding = check.judge(_arm(), None)
    assert finding.verdict == "fail"
    assert finding.reason == (
        "peak memory 300 MB in worker/1, expected at most 200 MB; "
        "memory growth 5 MB (4 MB to 6 MB) per 1000 steps in worker/0, expected at most 7 MB"
    )


def test_what_was_not_measured_is_invalid() -> None:
    finding = Memory.model_validate({"beyond_live_at_most": "20%"}).judge(_arm(), None)
    assert finding.verdict == "invalid"


def test_a_limit_is_needed() -> None:
    with pytest.raises(ValidationError, match="give peak_at_most, growth_at_most or beyond_live_at_most"):
        Memory.model_validate({})


def test_without_an_interval_nothing_is_said() -> None:
    arms = arm(Quantity("held_beyond_live_fraction", "fraction", 0.9, 3, subject="worker/0", note="too few"))
    finding = Memory.model_validate({"beyond_live_at_most": "50%"}).judge(arms, None)
    assert finding.verdict == "invalid"
    assert finding.reason == "held beyond live fraction of worker/0 has no interval: too few"


def _peaks(*peaks: float, growth: float | None = None) -> list[ArmMeasures]:
    series = ("memory_growth", "B/1000 steps", growth, 50, (growth or 0) - 1.0, (growth or 0) + 1.0, "worker/0")
    grows = () if growth is None else (Quantity(*series),)
    return [
        arm(Quantity("peak_memory", "B", peak * MB, 1, subject="worker/0"), *grows, repeat=number)
        for number, peak in enumerate(peaks, 1)
    ]


def _compared(asked: dict[str, str], mine: list[ArmMeasures], theirs: list[ArmMeasures]) -> Finding:
    return Memory.model_validate({"versus": "control", **asked}).judge_repeats(mine, theirs)


@pytest.mark.parametrize(("peak", "verdict"), [(100, "pass"), (112, "invalid"), (150, "fail")])
def test_a_peak_as_a_percentage_of_another_arms(peak: float, verdict: str) -> None:
    """One run of each: peaks scatter by 5 %, so that a ratio is known to within 14 %."""
    assert _compared({"at_most": "115%"}, _peaks(peak), _peaks(100)).verdict == verdict


def test_a_peak_may_be_so_much_more_over_repeats() -> None:
    mine, theirs = _peaks(110, 112, 112), _peaks(100, 101, 103)
    finding = _compared({"peak_at_most": "15MB"}, mine, theirs)
    assert (finding.verdict, finding.reason) == (
        "pass",
        "peak memory 10 MB more than control (7.52 MB to 12.5 MB; 3 repeats of each), expected at most 15 MB; "
        "detectable: ±3.55 MB",
    )
    assert _compared({"peak_at_most": "5MB"}, mine, theirs).verdict == "fail"


def test_growth_is_compared_over_three_repeats_at_least() -> None:
    mine, theirs = _peaks(100, 100, 100, growth=3.0 * MB), _peaks(100, 100, 100, growth=1.0 * MB)
    assert _compared({"growth_at_most": "1MB"}, mine[:2], theirs[:2]).verdict == "invalid"
    assert _compared({"growth_at_most": "1MB"}, mine, theirs).verdict == "fail"
    assert _compared({"growth_at_most": "3MB"}, mine, theirs).verdict == "pass"


def test_what_the_other_arm_did_not_measure_is_invalid() -> None:
    finding = _compared({"growth_at_most": "1MB"}, _peaks(1, growth=1.0), _peaks(1))
    assert finding == Finding("invalid", "memory growth of any worker is not available: nothing of it was seen")


def test_a_percentage_is_of_something() -> None:
    with pytest.raises(ValidationError, match="at_most is a percentage of another arm's peak; give versus"):
        Memory.model_validate({"at_most": "110%"})


def test_before_anything_runs_growth_against_another_arm_asks_for_repeats(plan_of: Callable[..., Plan]) -> None:
    expect = {"memory": {"versus": "a", "growth_at_most": "1MB"}}
    changes = [("variants", {"a": {}, "b": {"workload.batch_size": 4}}), ("workload.steps", 800)]
    with pytest.raises(ScenarioError, match="compared over repeats; give repeat: 3, or more"):
        plan_of(SCENARIO, *changes, ("expect", expect))
    plan_of(SCENARIO, *changes, ("expect", expect), ("repeat", 3))


def test_of_slopes_without_an_interval_and_jobs_that_ended_early_nothing_is_said() -> None:
    short = [
        arm(Quantity("memory_growth", "B/1000 steps", 480.0 * MB, 3, subject="worker/0", note="too few"), repeat=number)
        for number in (1, 2, 3)
    ]
    theirs = _peaks(1, 1, 1, growth=1.0)
    finding = _compared({"growth_at_most": "1MB"}, short, theirs)
    assert finding == Finding("invalid", "memory growth of worker/0 has no interval: too few")
    hung = [arm(Quantity("peak_memory", "B", 1.0 * MB, 1, subject="worker/0"), outcome="hung")]
    finding = _compared({"at_most": "110%"}, hung, _peaks(100))
    assert finding == Finding("invalid", "memory is not compared with control: main did not train to its end")


def test_a_worker_that_is_not_known_leaves_it_open_and_zero_is_a_number() -> None:
    peaks = (("worker/0", 100.0 * MB), ("worker/1", None))
    half = [arm(*(Quantity("peak_memory", "B", peak, 1, subject=role, note="no window ended") for role, peak in peaks))]
    assert _compared({"at_most": "200%"}, half, _peaks(100)).verdict == "invalid"
    growth = (("worker/0", 0.0), ("worker/1", -5.0 * MB))
    flat = arm(*(Quantity("memory_growth", "B/1000 steps", each, 50, subject=role) for role, each in growth))
    assert flat.worst("memory_growth").value == 0.0


def test_at_most_nothing_is_a_limit() -> None:
    assert _compared({"at_most": "0%"}, _peaks(100), _peaks(100)).verdict == "fail"


def test_a_size_is_judged_by_differences_where_there_are_repeats() -> None:
    assert _compared({"peak_at_most": "20MB"}, _peaks(110, 110, 330), _peaks(100, 100, 300)).verdict == "invalid"
