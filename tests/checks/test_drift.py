from __future__ import annotations

import pytest

from harness.checks import Finding
from harness.checks.drift import Drift
from harness.measures import from_samples
from harness.vocabulary.quantities import ArmMeasures, Quantity
from tests.checks.arms import arm

CHECK = Drift.model_validate({"versus": "control", "at_most": "1%"})


def _arm(scale: float, weights: str, name: str = "main") -> ArmMeasures:
    losses = [scale * (1 + 0.1 * (i % 7)) for i in range(80)]
    digests = Quantity("different_weights", "digests", 1, 2, note=weights)
    return arm(from_samples("final_loss", "", losses), digests, name=name)


@pytest.mark.parametrize(("scale", "verdict"), [(1.002, "pass"), (1.05, "fail"), (0.95, "fail"), (1.01, "invalid")])
def test_both_directions_count(scale: float, verdict: str) -> None:
    finding = CHECK.judge(_arm(scale, "a"), _arm(1, "b"))
    assert finding.verdict == verdict
    assert "expected within ±1.00%" in finding.reason


def test_the_same_weights_have_not_drifted() -> None:
    finding = CHECK.judge(_arm(1, "a"), _arm(1, "a"))
    assert finding == Finding("pass", "none: the same weights as control, bit by bit")


def test_different_numbers_of_steps_cannot_be_compared() -> None:
    short = arm(from_samples("final_loss", "", [1.0] * 40), Quantity("different_weights", "digests", 1, 1, note="c"))
    finding = CHECK.judge(short, _arm(1, "b"))
    assert finding.verdict == "invalid"
    assert "of 40 and 80 steps" in finding.reason


def test_without_a_final_loss_there_is_no_verdict() -> None:
    missing = arm(Quantity("final_loss", "", None, note="not all workers trained to the end"))
    finding = CHECK.judge(missing, _arm(1, "a", name="control"))
    assert finding == Finding("invalid", "no final loss of main: not all workers trained to the end")
