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


def _night(draw: random.Random, repeats: int) -> list[float]:
    """Medians of runs of one night: 9 % in all, of which 5 % are the night's."""
    night = draw.gauss(0, 0.05)
    return [math.exp(night + draw.gauss(0, 0.075)) for _ in range(repeats)]


def _told(night: list[float]) -> list[float]:
    return as_samples(night[0], night if len(night) > 1 else ())


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


@pytest.mark.parametrize("repeats", [1, 2, 3, 5, 8])
def test_nights_of_the_same_code_are_hardly_ever_marked(repeats: int) -> None:
    draw = random.Random(repeats)
    marked = sum(_marked(_told(_night(draw, repeats)), _told(_night(draw, repeats))) for _ in range(NIGHTS))
    assert marked <= 0.03 * NIGHTS


@pytest.mark.parametrize(("repeats", "share"), [(1, 0.7), (3, 0.75), (5, 0.9)])
def test_what_takes_half_as_long_again_is_marked(repeats: int, share: float) -> None:
    draw, marked = random.Random(repeats), 0
    for _ in range(NIGHTS):
        marked += _marked(_told(_night(draw, repeats)), _told([1.5 * value for value in _night(draw, repeats)]))
    assert marked >= share * NIGHTS
