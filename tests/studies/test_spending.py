"""When a budget is over, and what an answer would have taken."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from harness.studies.compare import Compare
from harness.studies.finding import Question
from harness.studies.meaning import Meaning
from harness.studies.pairs import Pair
from tests.studies.two_sides import SIDES


@pytest.mark.parametrize(
    ("limit", "effects", "over"),
    [
        (0.0, [-0.2, -0.25], True),
        (400.0, [-0.2, -0.25], False),  # an interval needs two more pairs, 50 s each
        (240.0, [-0.2, -0.25], False),
        (199.0, [-0.2, -0.25], True),
        (400.0, [-0.2, -0.25, -0.22, -0.23], True),  # it is answered
        (400.0, [-0.2, 0.25, -0.22, 0.23], True),  # an answer would take more than there is room for
        (1150.0, [-0.001, -0.012, -0.011, 0.0005], False),  # it takes 32 pairs, or 22, as the mean may be off
        (900.0, [-0.001, -0.012, -0.011, 0.0005], True),
        (4e9, [-0.2, 0.25, -0.22, 0.23], False),
    ],
)
def test_it_goes_on_beyond_its_budget_while_an_answer_fits(limit: float, effects: list[float], over: bool) -> None:
    study = Compare(SIDES, Question(budget=60.0, limit=limit))
    study.short.found = {"b": Meaning("identical", "", 0.0)}
    for effect in effects:
        study.spending.add(50.0)
        both = {name: {"b": effect} for name in ("throughput", "throughput_overall")}
        study._take(Pair("run", 50.0, both, {}))
    assert study.over is over
    assert Compare.asked(study.question, Path()).question_ == study.question_


def test_what_an_answer_would_have_taken_is_said() -> None:
    study = Compare(SIDES, Question(budget=60.0))
    study.short.found = {"b": Meaning("identical", "", 0.0)}
    assert study.why_undecided == ""
    for effect in (-0.2, -0.25):
        study.spending.add(50.0)
        study._take(Pair("run", 50.0, {"throughput": {"b": effect}, "throughput_overall": {"b": effect}}, {}))
    assert study.why_undecided == "an interval takes 2 more pairs, about 100 s, and there was no time for them"


def test_what_an_answer_takes_beyond_the_budget_is_said() -> None:
    """Also with as many pairs as it would take within it at this scatter."""
    random = Random(1)
    study = Compare(SIDES, Question(budget=180.0, limit=720.0, resolve=0.03, beyond=True))
    study.short.found = {"b": Meaning("identical", "", 0.0)}
    while not study.over:
        study.spending.add(17.0)
        effect = {"b": random.gauss(0, 0.05)}
        study._take(Pair("run", 17.0, {"throughput": effect, "throughput_overall": effect}, {}))
    (found,) = study.evidence.findings()
    assert found.mean is not None
    assert (found.word, found.more, found.mean.n) == ("undecided", 42, 42)
    enough = study.enough(found)
    assert enough is not None
    assert (enough.pairs, round(enough.budget)) == (119, 2036)
    assert f"an answer takes {enough.pairs - 42} more pairs" in study.why_undecided
