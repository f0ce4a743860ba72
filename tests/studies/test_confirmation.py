"""What a comparison of then and now says of a suspicion."""

from __future__ import annotations

import pytest

from harness.statistics.sequential import Look
from harness.studies import confirmation
from harness.studies.compare import Compare
from harness.studies.finding import Question
from harness.studies.meaning import Meaning
from harness.studies.pairs import Pair
from harness.studies.sides import Side, Sides
from harness.studies.suspicion import Suspect

SIDES = Sides(
    "q", {"title": "t", "workload": {"model": "mlp", "steps": 50}}, (Side("then", {}), Side("now", {"seed": 1}))
)
OF_SPEED = Suspect("main-mlp", "mlp", "throughput", "look", "slower", "slower")
OF_MEANING = Suspect("main-mlp", "mlp", "meaning", "series", "losses moved", "")


@pytest.mark.parametrize(
    ("found", "shows", "refuted"),
    [
        (Meaning("identical", "the same", 0.0), False, True),
        (Meaning("alike", "alike but for rounding", 1e-6), False, True),
        (Meaning("different", "it computes something else", 0.3), True, True),
        (Meaning("alike", "alike as far as rounding lets anybody tell", 0.3, 0.4), False, False),
    ],
)
def test_another_meaning_is_not_refuted_where_rounding_may_hide_it(found: Meaning, shows: bool, refuted: bool) -> None:
    study = Compare(SIDES, Question(of_meaning=True))
    study.short.found = {"now": found}
    assert not confirmation.is_refuted(study, OF_MEANING), "what begins late shows in pairs"
    study.evidence.pairs.append(Pair("run", 1.0, {"throughput": {"now": 0.0}}, {}))
    assert (confirmation.shows(study, OF_MEANING), confirmation.is_refuted(study, OF_MEANING)) == (shows, refuted)


def _ended(*drifts: float) -> Compare:
    """Pairs that end so far apart, where short runs were alike."""
    study = Compare(SIDES, Question(of_meaning=True))
    study.short.found = {"now": Meaning("alike", "alike but for rounding", 1e-6)}
    for number, drift in enumerate(drifts):
        effects, loss = {"throughput": {"now": 0.0}, "drift": {"now": drift}}, 0.4 + 0.001 * number
        study.evidence.pairs.append(Pair("run", 1.0, effects, {"drift": loss}, parted={"now": abs(drift)}))
    study.evidence.looks.append(Look(len(drifts), 0.9))
    return study


def test_what_ends_apart_time_after_time_refutes_nothing() -> None:
    every_time = (0.043, 0.044, 0.042, 0.043, 0.0435, 0.0425)
    assert not confirmation.is_refuted(_ended(*every_time), OF_MEANING)
    assert confirmation.is_refuted(_ended(*(each * 1e-4 for each in every_time)), OF_MEANING), "that is rounding"
    assert confirmation.is_refuted(_ended(0.04, -0.04, 0.03, -0.03, 0.05, -0.05), OF_MEANING), "now so, now so"


def test_what_ends_apart_as_the_first_may_do_from_itself_is_neither_shown_nor_refuted() -> None:
    study = _ended(0.04, -0.04, 0.03)
    study.short.found = {"now": Meaning("identical", "the same", 0.0)}
    assert (confirmation.shows(study, OF_MEANING), confirmation.is_refuted(study, OF_MEANING)) == (False, False)


def _timed(effect: float, overall: float) -> Compare:
    study = Compare(SIDES, Question("throughput", 0.01, 100.0))
    study.short.found = {"now": Meaning("identical", "the same", 0.0)}
    for scatter in (0.001, -0.001, 0.0005, -0.0005, 0.0, 0.0002):
        effects = {"throughput": {"now": effect + scatter}, "throughput_overall": {"now": overall + scatter}}
        study.evidence.pairs.append(Pair("run", 1.0, effects, {"throughput": 100.0}))
        study.evidence.looks.append(Look(len(study.evidence.pairs), len(study.evidence.pairs) / 10))
    return study


def test_what_all_of_the_time_holds_back_is_neither_shown_nor_refuted() -> None:
    """Turns are 3 % slower, and all of the time is as fast."""
    held_back = _timed(-0.03, 0.0)
    assert "slower" in confirmation.said(held_back, OF_SPEED)
    assert not confirmation.shows(held_back, OF_SPEED) and not confirmation.is_refuted(held_back, OF_SPEED)
    assert confirmation.shows(_timed(-0.03, -0.03), OF_SPEED)
    assert confirmation.is_refuted(_timed(0.0, 0.0), OF_SPEED)
