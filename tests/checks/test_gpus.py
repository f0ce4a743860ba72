from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from pydantic import ValidationError

from harness.base.errors import ScenarioError
from harness.checks.gpus import Gpus
from harness.planning.plan import Plan
from harness.vocabulary.quantities import ArmMeasures, Quantity
from tests.checks.arms import arm

GB = 10**9


def _arm(slowed: float | None = 0.0, xid: float | None = 0.0, lost: float = 0.0) -> ArmMeasures:
    return arm(
        Quantity("gpu_slowed", "fraction", slowed, 40, subject="gpu/0", note="of 40 samples: power cap in 3"),
        Quantity("gpu_slowed", "fraction", 0.0, 40, subject="gpu/1", note="of 40 samples"),
        Quantity("xid", "errors", xid, 1, subject="gpu/0", note="79" if xid else ""),
        Quantity("gpu_lost", "times", lost, 1, subject="gpu/0"),
        Quantity("ecc_errors", "errors", None, subject="gpu/0", note="not supported"),
        Quantity("gpu_memory_peak", "B", 3 * GB, 1, subject="gpu/0"),
    )


def judged(measures: ArmMeasures, **asked: Any) -> tuple[str, str]:
    found = Gpus.model_validate(asked).judge(measures, None)
    return found.verdict, found.reason


def test_every_gpu_has_to_keep_its_clocks() -> None:
    assert judged(_arm(), throttled=False)[0] == "pass"
    verdict, reason = judged(_arm(slowed=0.075), throttled=False)
    assert verdict == "fail"
    assert reason == "gpu slowed 7.5% on gpu/0 (of 40 samples: power cap in 3), expected at most 0.0%"
    assert judged(_arm(slowed=None), throttled=False)[0] == "invalid"


def test_errors_are_those_that_the_driver_tells_and_gpus_that_are_lost() -> None:
    """A GPU without ECC has none to count, and passes."""
    assert judged(_arm(), errors=False)[0] == "pass"
    assert judged(_arm(xid=1.0), errors=False) == ("fail", "xid 1 on gpu/0 (79), expected at most 0")
    assert judged(_arm(lost=1.0), errors=False)[0] == "fail"
    assert judged(_arm(xid=None), errors=False)[0] == "invalid"
    assert judged(arm(), errors=False)[0] == "invalid"
    hidden = Quantity("ecc_errors", "errors", None, subject="gpu/0", note="insufficient permissions")
    assert judged(arm(hidden), errors=False)[0] == "invalid"


@pytest.mark.parametrize(("limit", "verdict"), [("4GB", "pass"), ("2GB", "fail")])
def test_memory_of_the_gpu(limit: str, verdict: str) -> None:
    assert judged(_arm(), memory_at_most=limit)[0] == verdict


def test_something_has_to_be_expected() -> None:
    with pytest.raises(ValidationError, match="give throttled: false, errors: false or memory_at_most"):
        Gpus.model_validate({})


def test_it_is_for_jobs_on_gpus(plan_of: Callable[..., Plan]) -> None:
    text = "title: t\nworkload: {model: mlp, steps: 100}\nexpect: {gpus: {throttled: false}}\n"
    with pytest.raises(ScenarioError, match=r"gpus needs topology.contexts with a gpu\(i\)"):
        plan_of(text)
    plan_of(text + 'topology: {contexts: ["gpu(0)"]}\n')


def _used(*each: float) -> list[ArmMeasures]:
    return [
        arm(Quantity("gpu_memory_peak", "B", used * GB, 1, subject="gpu/0"), repeat=n) for n, used in enumerate(each, 1)
    ]


@pytest.mark.parametrize(("theirs", "verdict"), [([2.6, 2.5, 2.7], "pass"), ([1.5, 1.6, 1.4], "fail")])
def test_memory_may_be_so_much_more_than_in_another_arm(theirs: list[float], verdict: str) -> None:
    check = Gpus.model_validate({"versus": "control", "memory_at_most": "1GB"})
    assert check.judge_repeats(_used(3.0, 3.1, 3.2), _used(*theirs)).verdict == verdict
    assert check.judge_repeats(_used(3.0), _used(2.9)).reason == "GPUs are compared over repeats; give repeat: 3"
    found = check.judge_repeats(_used(3, 3, 3), [arm(repeat=n) for n in (1, 2, 3)])
    assert (found.verdict, found.reason) == (
        "invalid",
        "gpu memory peak of any GPU is not available: nothing of it was seen",
    )


def test_errors_are_not_compared() -> None:
    with pytest.raises(ValidationError, match="errors of a GPU are not compared"):
        Gpus.model_validate({"versus": "control", "errors": False})
