"""Intervals of a mean that hold at every look."""

from __future__ import annotations

import math
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from harness.statistics.sequential import (
    LEVEL,
    MIN_VALUES,
    Look,
    Sequential,
    critical,
    half_width,
    sequential,
    share,
    shown,
)

ONCE = (Look(10, 1.0),)


def _each(most: int) -> tuple[Look, ...]:
    """A look after each value of a budget that has room for so many; four of them have something to spend."""
    return tuple(Look(n, share((n + 1) / (most + 1))) for n in range(1, most + 1))


def test_one_look_is_students_interval() -> None:
    values = [0.4, 0.6, 0.5, 0.7, 0.3, 0.5, 0.6, 0.4, 0.5, 0.5]
    low, high = stats.ttest_1samp(values, 0.0).confidence_interval(0.99)
    mean = sequential(values, ONCE)
    assert (mean.low, mean.high) == (pytest.approx(low, rel=0.02), pytest.approx(high, rel=0.02))


def test_two_looks_are_those_of_pocock() -> None:
    """Of very many values, two looks that spend alike have bounds of 2.178 at 5 % (Pocock, 1977, table 1)."""
    first, second = critical((Look(400, 0.0294 / 0.05), Look(800, 1.0)), 0.05)
    assert first == pytest.approx(2.178, abs=0.03)
    assert second == pytest.approx(2.178, abs=0.03)


def test_few_values_say_nothing() -> None:
    assert sequential([1.0], _each(9)).half == math.inf
    assert sequential([1.0, 1.1, 0.9], _each(9)).half == math.inf
    assert sequential([1.0, 1.1, 0.9, 1.0], _each(9)).half < 1.0
    assert sequential([1.0, 1.1, 0.9, 1.0], _each(40)).half == math.inf
    assert sequential([1.0, 1.1, 0.9, 1.0], ()).half == math.inf
    with pytest.raises(ValueError, match="no values"):
        sequential([], _each(9))


def test_values_that_are_all_the_same_leave_no_doubt_once_they_are_enough() -> None:
    mean = sequential([0.25] * 8, _each(10))
    assert (mean.estimate, mean.half, mean.detectable) == (0.25, 0.0, 0.0)
    few = sequential([0.25] * 7, _each(8))
    assert (few.estimate, few.half, few.needed(0.1)) == (0.25, math.inf, 8)
    assert sequential([0.0] * 4, _each(9)).half == 0.0, "as of bits that are the same"


def test_effects_that_come_in_steps_are_hardly_ever_told_where_there_are_none() -> None:
    draw, looks = Random(3), [Look(n, n / 16) for n in range(4, 17)]
    runs = [
        sequential([draw.choice((-0.03, 0.03)) for _ in range(n)], looks[: n - 3])
        for n in (4, 7, 16)
        for _ in range(400)
    ]
    assert sum(abs(run.estimate) > run.half for run in runs) <= 0.02 * len(runs)


def test_a_look_with_nothing_to_spend_tells_what_the_last_one_told() -> None:
    values = [0.4, 0.6, 0.5, 0.7, 0.3, 0.5, 0.6, 0.4, 0.5, 0.5, 9.0]
    first = sequential(values[:10], ONCE)
    then = sequential(values, (*ONCE, Look(11, 1.0)))
    assert (then.n, then.low, then.high) == (11, first.low, first.high)


def test_two_looks_after_as_many_values_are_one_that_spends_what_both_may() -> None:
    first, then = critical((Look(10, 0.4), Look(10, 1.0)))
    (once,) = critical(ONCE)
    assert then == once < first


def test_bounds_do_not_depend_on_looks_to_come() -> None:
    assert critical(_each(9)[:6]) == critical(_each(9))[:6]


def test_how_many_values_a_width_takes() -> None:
    mean = Sequential(8, 0.0, 0.05, 0.014)
    upper = 0.014 * math.sqrt(7 / 3.822)  # 3.822: chi-squared, 7 degrees, exceeded with 80 %
    needed = mean.needed(0.01)
    assert needed is not None
    assert half_width(needed, upper) <= 0.01 < half_width(needed - 1, upper)
    assert mean.needed(1e-9) is None
    to_show = mean.needed_to_show(0.01)
    assert to_show is not None
    assert shown(to_show, upper) <= 0.01 < shown(to_show - 1, upper)


def test_what_would_have_shown_does_so_in_four_of_five_tries() -> None:
    """At the effect that is told: few values often look less scattered than they are, which that allows for."""
    random, seen = np.random.default_rng(5), []
    for _ in range(400):
        told = sequential(list(random.standard_normal(8)), _each(8)).detectable
        again = sequential(list(random.standard_normal(8) + told), _each(8))
        seen.append(again.low > 0)
    assert 0.75 < np.mean(seen) < 0.95


@pytest.mark.parametrize("most", [6, 9, 13, 35, 80])
def test_the_width_that_is_planned_with_is_that_of_the_last_look(most: int) -> None:
    assert half_width(most, 1.0) * math.sqrt(most) == pytest.approx(critical(_each(most))[-1], rel=0.1)


@given(st.integers(MIN_VALUES, 300), st.floats(0.001, 1.0))
def test_more_values_and_higher_levels_make_it_narrower(n: int, sd: float) -> None:
    assert half_width(n + 1, sd) <= half_width(n, sd)
    assert half_width(n, sd, 2 * LEVEL) <= half_width(n, sd)


@given(st.floats(0.001, 100.0), st.floats(1.001, 10.0))
def test_more_of_the_level_is_spent_with_time_and_never_all_of_it(spent: float, later: float) -> None:
    assert 0 <= share(spent) <= share(spent * later) < 1


def test_the_level_is_spent_in_quarters_of_the_budget_then_with_each_half_more_of_it() -> None:
    assert [share(spent) for spent in (0.1, 0.25, 0.49, 0.5, 0.99, 1.0, 1.4)] == pytest.approx(
        [0.0, 0.9 / 256, 0.9 / 256, 0.9 / 16, 0.9 * 81 / 256, 0.9, 0.9]
    )
    assert [share(spent) for spent in (1.42, 2.0, 4.0)] == pytest.approx([0.9293, 0.95, 0.975], abs=1e-4)
    bounds = critical(_each(39))
    assert [n for n, bound in enumerate(bounds, 1) if bound < math.inf] == [9, 19, 29, 39]


def test_looking_after_every_value_and_going_on_does_not_raise_false_alarms() -> None:
    """At most 1 % over all looks, those after three times the budget too; of 20,000 sequences that others drew."""
    looks = tuple(Look(n, share((n + 1) / 14)) for n in range(1, 40))
    values = np.random.default_rng(77).standard_normal((20_000, 39))
    alarms = np.zeros(20_000, bool)
    for n, bound in enumerate(critical(looks), 1):
        if n >= MIN_VALUES:
            means, sds = values[:, :n].mean(axis=1), values[:, :n].std(axis=1, ddof=1)
            alarms |= np.abs(means) > bound * sds / math.sqrt(n)
    assert 0.0075 < alarms.mean() < 0.0125


def test_a_real_effect_is_found() -> None:
    random = Random(6)
    found = 0
    for _ in range(100):
        mean = sequential([random.gauss(1.0, 0.64) for _ in range(13)], _each(13))
        found += mean.low > 0
    assert found >= 90
