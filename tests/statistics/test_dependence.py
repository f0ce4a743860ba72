from __future__ import annotations

import math
import random

import numpy as np
import pytest

from harness.statistics.dependence import block_inflation, effective_size


def _autoregressive(phi: float, n: int, seed: int = 1) -> list[float]:
    draw, level, values = random.Random(seed), 0.0, []
    for _ in range(n + 100):
        level = phi * level + math.sqrt(1 - phi**2) * draw.gauss(0, 1)
        values.append(level)
    return values[100:]


@pytest.mark.parametrize(("phi", "size"), [(0.0, 2000), (0.5, 830), (0.9, 155)])
def test_a_long_series_is_worth_what_sheppard_says(phi: float, size: float) -> None:
    assert effective_size(np.asarray(_autoregressive(phi, 2000))) == pytest.approx(size, rel=0.25)


def test_order_is_judged_by_ranks() -> None:
    values = np.asarray(_autoregressive(0.0, 100))
    stalled = values.copy()
    stalled[stalled.argmax()] = 1e9
    assert effective_size(stalled) == pytest.approx(effective_size(values), rel=0.1)


def test_equal_values_have_nothing_to_tell_of_each_other() -> None:
    assert effective_size(np.ones(10)) == math.inf


def test_a_series_that_rises_or_jumps_is_worth_little() -> None:
    assert effective_size(np.arange(50.0)) < 3
    noise = np.asarray(_autoregressive(0.0, 50))
    assert effective_size(noise * 0.05 + np.repeat([0.0, 1.0], 25)) < 3


def test_a_line_hides_more_than_a_level() -> None:
    values = np.asarray(_autoregressive(0.5, 60))
    assert effective_size(values, fitted=2) < effective_size(values)


def test_blocks_see_what_is_alike_for_long() -> None:
    noise = np.asarray(_autoregressive(0.0, 500))
    assert block_inflation(noise) < 4
    assert block_inflation(noise + 3 * np.repeat([0.0, 1.0, 0.0, 1.0, 0.0], 100)) > 30
