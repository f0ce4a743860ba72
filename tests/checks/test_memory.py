from __future__ import annotations

import pytest
from pydantic import ValidationError

from harness.checks.memory import Memory
from harness.vocabulary.quantities import ArmMeasures, Quantity
from tests.checks.arms import arm

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
