"""What asv is told, and what its own comparison makes of it."""

from __future__ import annotations

import math
import random
from dataclasses import replace
from typing import Any

import pytest
from asv._stats import is_different
from asv_runner.statistics import compute_stats

from harness.asv_bridge import tracking
from harness.asv_bridge.nights import NIGHT_VARIABLE
from harness.asv_bridge.tracking import _beside_one, _drift, as_samples
from harness.vocabulary.quantities import ArmMeasures, Quantity
from tests.checks.arms import arm

NIGHTS = 300


def _marked(first: list[float], second: list[float]) -> bool:
    """As `asv compare` decides, with its factor of 1.1 (asv/commands/compare.py)."""
    (one, one_stats), (other, other_stats) = compute_stats(first, 1), compute_stats(second, 1)
    return is_different(first, second, one_stats, other_stats) and not 1 / 1.1 < one / other < 1.1


def _night(draw: random.Random, repeats: int, noise: float = 0.075) -> list[float]:
    """Medians of runs of one night: 9 % in all, of which 5 % are the night's."""
    night = draw.gauss(0, 0.05)
    return [math.exp(night + draw.gauss(0, noise)) for _ in range(repeats)]


def _told(night: list[float], noise: float = 0.0) -> list[float]:
    return as_samples(night[0], night if len(night) > 1 else (), noise)


def test_one_run_is_its_number_and_where_others_may_be() -> None:
    samples = as_samples(100.0, ())
    assert len(samples) == 9
    assert (samples[0], samples[-1]) == (pytest.approx(79.06, abs=0.01), pytest.approx(126.49, abs=0.01))
    assert compute_stats(samples, 1)[0] == pytest.approx(100.0)


def test_one_run_shows_what_takes_a_third_longer_and_no_less() -> None:
    assert _marked(as_samples(1.0, ()), as_samples(1.36, ()))
    assert not _marked(as_samples(1.0, ()), as_samples(1.32, ()))


def test_each_repeat_is_among_them() -> None:
    assert [as_samples(2.0, (1.0, 2.0, 4.0))[place] for place in (1, 4, 7)] == [1.0, 2.0, 4.0]


@pytest.mark.parametrize("repeats", [1, 2, 3, 5, 8, 12, 30])
def test_nights_of_the_same_code_are_hardly_ever_marked(repeats: int) -> None:
    draw = random.Random(repeats)
    marked = sum(_marked(_told(_night(draw, repeats)), _told(_night(draw, repeats))) for _ in range(NIGHTS))
    assert marked <= 0.03 * NIGHTS


def test_nor_where_a_calibration_knows_that_runs_differ_by_more() -> None:
    marked = {}
    for known in (0.0, 0.12):
        draw = random.Random(1)
        nights = [[_told(_night(draw, 1, 0.12), known) for _ in range(2)] for _ in range(NIGHTS)]
        marked[known] = sum(_marked(*each) for each in nights)
    assert marked[0.12] <= 0.03 * NIGHTS < marked[0.0]
    assert as_samples(1.0, (), 0.05) == as_samples(1.0, ()), "one that is quieter may be another night"
    assert as_samples(1.0, (), 0.089)[-1] > as_samples(1.0, ())[-1], "with other nights that is more than the table has"


def test_drift_that_lies_about_nothing_is_not_marked() -> None:
    draw = random.Random(4)
    drifts = [[draw.gauss(0.0, 0.02) for _ in range(2)] for _ in range(NIGHTS)]
    assert not any(_marked(*(as_samples(_beside_one(drift), ()) for drift in each)) for each in drifts)
    assert _marked(as_samples(_beside_one(0.0), ()), as_samples(_beside_one(-0.5), ()))


def test_each_seed_has_a_drift_among_the_samples() -> None:
    def of(*losses: float) -> list[ArmMeasures]:
        each = [Quantity("final_loss", "loss", loss, 1, samples=(loss,)) for loss in losses]
        return [replace(arm(loss), seed=seed) for seed, loss in enumerate(each)]

    found = _drift(of(1.1, 0.9, 1.0, 1.05), of(1.0, 1.0, 1.0, 1.0))
    assert found.samples == pytest.approx((1.1, 1.1, 1.0, 1.05))
    assert (found.value, found.n) == (pytest.approx(1.0098, abs=1e-4), 4)


@pytest.mark.parametrize(("repeats", "share"), [(1, 0.7), (3, 0.75), (5, 0.9)])
def test_what_takes_half_as_long_again_is_marked(repeats: int, share: float) -> None:
    draw, marked = random.Random(repeats), 0
    for _ in range(NIGHTS):
        marked += _marked(_told(_night(draw, repeats)), _told([1.5 * value for value in _night(draw, repeats)]))
    assert marked >= share * NIGHTS


def test_a_night_lies_as_far_apart_as_this_machines_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    night = {"numbers": {"main": {"seconds_per_sample": [1.0], "final_loss": [1.0]}}, "noise": 0.2}
    monkeypatch.setenv(NIGHT_VARIABLE, "night.json")
    monkeypatch.setattr(tracking, "_of_night", lambda loaded: night)
    loaded: Any = None
    seconds, loss = (tracking.samples(loaded, "main", name) for name in ("seconds_per_sample", "final_loss"))
    assert seconds == {"samples": as_samples(1.0, (), 0.2), "number": 1}
    assert loss == {"samples": as_samples(1.0, ()), "number": 1}, "that is of the speed of this machine"
