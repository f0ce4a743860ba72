from __future__ import annotations

import pytest

from harness.checks import Finding
from harness.checks.drift import Drift, drift_of
from harness.measures import from_samples
from harness.statistics.comparison import Comparison
from harness.vocabulary.quantities import ArmMeasures, Quantity
from tests.checks.arms import arm

CHECK = Drift.model_validate({"versus": "control", "at_most": "1%"})
WIDE = Drift.model_validate({"versus": "control", "at_most": "100%"})


def _arm(scale: float, weights: str, name: str = "main", repeat: int = 1, seed: int = 0) -> ArmMeasures:
    losses = [scale * (1 + 0.1 * (i % 7)) for i in range(80)]
    digests = Quantity("different_weights", "digests", 1, 2, note=weights)
    return arm(from_samples("final_loss", "", losses), digests, name=name, repeat=repeat, seed=seed)


def _seeds(scales: list[float], weights: str) -> list[ArmMeasures]:
    return [_arm(scale, f"{weights}{n}", repeat=n + 1, seed=n) for n, scale in enumerate(scales)]


def test_the_same_weights_have_not_drifted() -> None:
    finding = CHECK.judge(_arm(1, "a"), _arm(1, "a"))
    assert finding == Finding("pass", "none: the same weights as control, bit by bit")


@pytest.mark.parametrize(("scale", "verdict"), [(1.1, "pass"), (1.9, "invalid"), (4.0, "fail")])
def test_one_pair_of_trajectories_decides_only_what_is_absurd(scale: float, verdict: str) -> None:
    assert WIDE.judge(_arm(scale, "a"), _arm(1, "b")).verdict == verdict


def test_a_close_limit_needs_seeds() -> None:
    finding = CHECK.judge(_arm(1.0001, "a"), _arm(1, "b"))
    assert finding.verdict == "invalid"
    assert "; 1 seed, and 20% from seed to seed as a cautious default)" in finding.reason
    assert finding.reason.endswith("the interval lies across the limit, give seeds: 8")


@pytest.mark.parametrize(
    ("scales", "verdict"),
    [([1.001, 1.003, 1.002, 0.999], "pass"), ([1.05, 1.06, 1.04, 1.05], "fail"), ([1.05, 0.96, 1.01, 0.99], "invalid")],
)
def test_seeds_are_paired(scales: list[float], verdict: str) -> None:
    baselines = _seeds([1.0, 1.2, 0.7, 1.5], "b")
    subjects = _seeds([scale * level for scale, level in zip(scales, (1.0, 1.2, 0.7, 1.5), strict=True)], "a")
    finding = CHECK.judge_repeats(subjects, baselines)
    assert finding.verdict == verdict
    assert "; 4 seeds); expected within ±1.00%" in finding.reason


def test_repeats_of_one_seed_are_one_trajectory() -> None:
    subjects = [_arm(1.0001, "a", repeat=n + 1) for n in range(8)]
    baselines = [_arm(1, "b", name="control", repeat=n + 1) for n in range(8)]
    assert CHECK.judge_repeats(subjects, baselines).verdict == "invalid"


def test_without_a_final_loss_there_is_no_verdict() -> None:
    missing = arm(Quantity("final_loss", "", None, note="not all workers trained to the end"))
    finding = CHECK.judge(missing, _arm(1, "a", name="control"))
    assert finding == Finding("invalid", "no final loss of main: not all workers trained to the end")


@pytest.mark.parametrize("scale", [0.0, float("nan")])
def test_a_loss_that_is_none_has_no_ratio(scale: float) -> None:
    finding = WIDE.judge(_arm(scale, "a"), _arm(1, "b"))
    assert finding == Finding("invalid", "no drift from control: a loss is zero or below, or not finite")
    assert drift_of([_arm(scale, "a")], [_arm(1, "b")]) is None


def test_drift_as_a_number() -> None:
    assert drift_of([_arm(1, "a")], [_arm(1, "a")]) == Comparison(0.0, 0.0, 0.0, 1)
    drift = drift_of([_arm(1.5, "a")], [_arm(1, "b")])
    assert drift is not None
    assert drift.estimate == pytest.approx(0.5)


def test_seeds_that_change_nothing_are_no_ensemble() -> None:
    """A script that takes no seed ends alike each time; three such runs are one, and know nothing of seeds."""
    finding = CHECK.judge_repeats(_seeds([1.0002] * 3, "a"), _seeds([1.0] * 3, "b"))
    assert finding.verdict == "invalid"
    assert "3 seeds that change nothing, as if 1, and 20% from seed to seed" in finding.reason


def test_bits_decide_where_no_loss_was_seen() -> None:
    """As the number that is tracked has it."""
    unseen = (
        Quantity("final_loss", "", None, note="no loss is seen"),
        Quantity("different_weights", "digests", 1, 2, note="a"),
    )
    finding = CHECK.judge(arm(*unseen), arm(*unseen, name="control"))
    assert finding == Finding("pass", "none: the same weights as control, bit by bit")


def test_a_job_that_heeds_no_seed_is_not_told_to_have_more() -> None:
    finding = CHECK.judge_repeats(_seeds([1.0001] * 8, "a"), _seeds([1.0] * 8, "b"))
    assert finding.verdict == "invalid"
    assert finding.reason.endswith("the interval lies across the limit, and other seeds change nothing")


def test_losses_whose_mean_is_below_zero_have_no_drift() -> None:
    """Though their median is above it."""
    below = arm(Quantity("final_loss", "", 0.1, 3, samples=(-10.0, 0.1, 0.1)))
    assert drift_of([below], [_arm(1, "b", name="control")]) is None
