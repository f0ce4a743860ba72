"""Which setting serves a trace best."""

from __future__ import annotations

from dataclasses import replace

from harness.gpu import best_pool
from harness.gpu.allocation_trace import AllocationTrace
from harness.gpu.device_memory import MIB
from harness.gpu.pool_settings import PoolSettings
from harness.gpu.simulation import Failure, simulate

GROWING = AllocationTrace("growing", [event for each in range(1, 41) for event in ((each, each * 3 * MIB), (each, 0))])
"""Each array is freed before the next, larger one comes."""


def test_every_setting_is_one_that_mxnet_takes() -> None:
    settings = best_pool.candidates()
    assert [each.refusal() for each in settings] == [None] * 37
    assert settings[0] == PoolSettings()


def test_what_serves_all_comes_first_and_holds_least_without_asking_too_often() -> None:
    found = best_pool.ranked([simulate(GROWING, settings, 4096 * MIB) for settings in best_pool.candidates()])
    assert found[0].failure is None
    assert found[0].settings.kind == "Round"
    assert found[0].peak_held < simulate(GROWING, PoolSettings(), 4096 * MIB).peak_held


def test_what_fails_last_is_next_best() -> None:
    whole = simulate(GROWING, PoolSettings(), 4096 * MIB)
    early, late = (replace(whole, failure=Failure(event, 1, 0, 0)) for event in (3, 70))
    assert best_pool.ranked([early, late, whole]) == [whole, late, early]
    assert best_pool.ranked([early, late]) == [late, early]
