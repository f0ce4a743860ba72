"""Comparisons that are drawn anew."""

from __future__ import annotations

import math
from collections import Counter
from random import Random

import numpy as np
import pytest

from harness.studies import redrawn
from harness.studies.evidence import GUARD, GUARDED, Evidence
from harness.studies.finding import Question
from harness.studies.pairs import Pair
from harness.studies.redrawn import Effects, answers, centred
from harness.studies.sides import Side, Sides


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
    half = math.sqrt(2)
    assert centred([1.0, 3.0], [0.0, 4.0]) == [(-half, -2 * half), (half, 2 * half)]


def _shifting(planted: float, overall: float) -> Effects:
    """Effects whose guard goes its own way, so that both often say what the other does not."""
    random = Random(11)
    values = [random.gauss(planted, 0.005) for _ in range(60)]
    return [(value, 0.5 * value + random.gauss(overall, 0.008)) for value in values]


@pytest.mark.parametrize(
    "effects", [_shifting(0.004, 0.002), _shifting(0.006, -0.004), _shifting(0.0, 0.0), _shifting(0.0, 0.012)]
)
def test_comparisons_that_are_drawn_answer_as_those_of_the_command_do(
    monkeypatch: pytest.MonkeyPatch, effects: Effects
) -> None:
    many, most = 60, 12
    monkeypatch.setattr(redrawn, "DRAWN", many)
    drawn = np.random.default_rng(0).choice(np.asarray(effects, float), (many, most))
    found = [_by_the_command(comparison.tolist()) for comparison in drawn]
    words = Counter(word for word, _ in found)
    told = answers(effects, most, 0.01)
    assert [round(many * share) for share in (told.faster, told.slower, told.same)] == [
        words[word] for word in ("faster", "slower", "same")
    ]
    assert round(many * told.pairs) == sum(pairs for _, pairs in found)


def _by_the_command(effects: Effects) -> tuple[str, int]:
    """What a comparison of such pairs says, and after how many of them."""
    sides = Sides("q", {"title": "t", "workload": {}}, (Side("a", {}), Side("b", {})))
    evidence = Evidence(sides, Question("throughput", 0.01))
    for look, (own, guard) in zip(redrawn.looks(len(effects)), effects, strict=True):
        evidence.pairs.append(Pair("run", 10.0, {GUARDED: {"b": own}, GUARD: {"b": guard}}, {}))
        evidence.looks.append(look)
        (finding,) = evidence.findings()
        if finding.word != "undecided":
            return finding.word, look.n
    return "undecided", len(effects)
