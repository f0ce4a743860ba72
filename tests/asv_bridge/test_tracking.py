"""What asv is told, and what its own comparison makes of it."""

from __future__ import annotations

import math
import random

import pytest
from asv._stats import is_different
from asv_runner.statistics import compute_stats

from harness.asv_bridge.tracking import as_samples

NIGHTS = 300


def _marked(first: list[float], second: list[float]) -> bool:
    """As `asv compare` decides, with its factor of 1.1 (asv/commands/compare.py)."""
    (one, one_stats), (other, other_stats) = compute_stats(first, 1), compute_stats(second, 1)
    return is_different(first, second, one_stats, other_stats) and not 1 / 1.1 < one / other < 1.1


def test_one_run_is_its_number_and_where_others_may_be() -> None:
    samples = as_samples(100.0, ())
    assert samples == pytest.approx([91.39, 100.0, 109.42], abs=0.01)
    assert compute_stats(samples, 1)[0] == 100.0


@pytest.mark.parametrize("repeats", [1, 3, 5])
def test_nights_of_the_same_code_are_hardly_ever_marked(repeats: int) -> None:
    draw, marked = random.Random(repeats), 0
    for _ in range(NIGHTS):
        nights = [[math.exp(draw.gauss(0, 0.09)) for _ in range(repeats)] for _ in range(2)]
        told = [as_samples(night[0], night if repeats > 1 else ()) for night in nights]
        marked += _marked(*told)
    assert marked <= 0.02 * NIGHTS


def test_what_takes_three_times_as_long_is_marked() -> None:
    assert _marked(as_samples(1.0, ()), as_samples(3.0, ()))
    assert _marked([1.0, 1.02, 0.98, 1.01, 0.99], [1.2, 1.22, 1.19, 1.21, 1.18])
