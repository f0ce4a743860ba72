"""What a comparison of then and now says of a suspicion."""

from __future__ import annotations

import pytest

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
    study._short = {"now": found}
    assert not confirmation.is_refuted(study, OF_MEANING), "what begins late shows in pairs"
    study.evidence.pairs.append(Pair("run", 1.0, {"throughput": {"now": 0.0}}, {}))
    assert (confirmation.shows(study, OF_MEANING), confirmation.is_refuted(study, OF_MEANING)) == (shows, refuted)
