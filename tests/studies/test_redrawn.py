"""Comparisons that are drawn anew."""

from __future__ import annotations

from random import Random

from harness.studies.redrawn import Effects, answers, centred


def _effects(sd: float) -> Effects:
    """The guard scatters somewhat more, and mostly with what it guards."""
    random = Random(3)
    values = [random.gauss(0.0, sd) for _ in range(150)]
    return centred(values, [value + random.gauss(0.0, sd) for value in values])


def test_alike_sides_are_hardly_ever_told_apart() -> None:
    found = answers(_effects(0.0064), 13, 0.01)
    assert found.faster + found.slower <= 0.012
    assert found.same > 0.75


def test_a_planted_change_is_found_and_early_where_it_is_large() -> None:
    one, two = (answers(_effects(0.0064), 13, 0.01, planted) for planted in (-0.01, -0.02))
    assert one.slower > 0.9
    assert two.slower > 0.99
    assert two.pairs < one.pairs < 13
    assert answers(_effects(0.0064), 13, 0.01, 0.02).faster > 0.99


def test_how_often_effects_that_are_not_normal_break_it() -> None:
    """docs/comparing.md tells these; nobody says `same` here, which would end most of them before."""
    random = Random(7)
    normal = [random.gauss(0.0, 1.0) for _ in range(50_000)]
    skew = [random.expovariate(1.0) - 1.0 for _ in range(50_000)]
    alarms = {}
    for name, effects in (("normal", normal), ("skew", skew)):
        found = answers([(effect, effect) for effect in effects], 14, 0.0)
        alarms[name] = found.faster + found.slower
    assert 0.004 < alarms["normal"] < 0.01
    assert 0.04 < alarms["skew"] < 0.08


def test_too_little_room_for_pairs_answers_nothing() -> None:
    found = answers(_effects(0.0064), 3, 0.01)
    assert (found.faster, found.slower, found.same, found.pairs) == (0.0, 0.0, 0.0, 3.0)


def test_what_the_median_does_not_show_the_guard_may() -> None:
    stalls = [(one, other - 0.05) for one, other in _effects(0.0064)]
    found = answers(stalls, 13, 0.01)
    assert found.slower > 0.9
    assert found.same == 0.0


def test_what_the_whole_time_does_not_show_is_no_difference() -> None:
    """Work that went from most turns to a few."""
    random = Random(3)
    moved = [(random.gauss(0.03, 0.01), random.gauss(0.0, 0.003)) for _ in range(500)]
    assert answers(moved, 13, 0.01).faster == 0.0
    assert answers([(one, one) for one, _ in moved], 13, 0.01).faster > 0.95


def test_scatter_is_told_around_each_mean() -> None:
    assert centred([1.0, 3.0], [0.0, 4.0]) == [(-1.0, -2.0), (1.0, 2.0)]
