"""What a comparison can be asked, and what it tells."""

from __future__ import annotations

import json
import math

import pytest

from harness.base.errors import InputError
from harness.cli.compare import _code
from harness.studies import comparison
from harness.studies.compare import Compare
from harness.studies.finding import Question
from harness.studies.meaning import Meaning
from harness.studies.pairs import Pair
from harness.studies.sides import Side, Sides
from tests.studies.two_sides import OF_SIDES, SIDES, compared


def test_steps_to_a_loss_need_one() -> None:
    with pytest.raises(InputError, match="needs a loss to reach"):
        Compare(SIDES, Question(measure="steps_to_loss"))


def test_bytes_on_links_need_links() -> None:
    with pytest.raises(InputError, match="counted on links, which there are none of"):
        Compare(SIDES, Question(measure="sent_bytes"))


def test_a_single_worker_waits_for_nobody() -> None:
    with pytest.raises(InputError, match="a single worker waits for nobody"):
        Compare(SIDES, Question(measure="waiting"))
    topology = {"kvstore": "dist_sync", "workers": 2}
    Compare(Sides("q", {**SIDES.values, "topology": topology}, SIDES.sides), Question(measure="waiting"))


def test_a_setting_did_nothing_only_where_nothing_says_otherwise() -> None:
    def told(parted: float = 0.0, **effects: float) -> str | None:
        study = Compare(SIDES, Question(resolve=0.5))
        study.short.found = {"b": Meaning("identical", "", 0.0)}
        for number in range(6):
            noise = 0.001 * (number % 3)
            every = {"throughput": 0.0, "throughput_overall": 0.0, **effects}
            own = {name: {"b": value + noise} for name, value in every.items()}
            study.evidence.pairs.append(Pair("run", 20.0, own, {}, parted={"b": parted}))
            study.evidence.look(20.0 * number, 120.0)
        return study.without_effect("b")

    assert told() == "the same numbers, bit by bit, and the same throughput within -50.00% to +50.00%"
    assert told(peak_memory=0.9) is None
    assert told(parted=0.001) is None


def test_the_first_side_once_more_has_no_effect() -> None:
    alike = Sides("q", SIDES.values, (Side("a", {}), Side("b", {})))
    assert Compare(alike, Question()).without_effect("b") == "it is the first side once more"


def test_why_a_setting_likely_does_nothing_is_told_before_speed_is_decided() -> None:
    lazy = Sides("q", SIDES.values, (Side("a", {}), Side("b", {"workload.optimizer.lazy_update": True})))
    study = Compare(lazy, Question())
    assert study.without_effect("b") is None
    study.short.found = {"b": Meaning("identical", "", 0.0)}
    study.evidence.pairs.append(Pair("run", 1.0, {"drift": {"b": 0.0}, "throughput": {"b": 0.01}}, {}))
    why = study.without_effect("b")
    assert why is not None and why.startswith("no number differs by it, bit by bit; speed is not decided; lazy_update")
    other = Compare(SIDES, Question())
    other.short.found, other.evidence.pairs = study.short.found, study.evidence.pairs
    assert other.without_effect("b") is None  # nothing is known of that variable


def test_why_there_is_no_pair() -> None:
    study = Compare(SIDES, Question())
    assert study.in_words == f"q: nothing was compared yet {OF_SIDES}"
    study._failed("pair-001", "aborted: worker/0 had not come up")
    assert study.in_words == f"q: nothing was compared: aborted: worker/0 had not come up {OF_SIDES}"
    spent = Compare(SIDES, Question(budget=5.0))
    spent.spending.taken = 6.0
    assert spent.in_words == f"q: nothing was compared: the budget has no room for a pair {OF_SIDES}"


def test_another_meaning_is_in_words_unless_seeds_decide() -> None:
    study = compared(Question())
    study.short.found = {"b": Meaning("different", "the loss of step 3", 0.1)}
    assert study.in_words.startswith("q: b has another meaning; b is undecided")
    drift = compared(Question(measure="drift"))
    drift.short.found = dict(study.meanings)
    assert "another meaning" not in drift.in_words


def test_one_trajectory_says_nothing_of_others() -> None:
    study = compared(Question(measure="drift"))
    assert not study.has_one_trajectory
    study.broken = comparison.ONE_SEED
    assert (study.has_one_trajectory, _code(study)) == (True, 3)
    study.broken = "b did not train to the end"
    assert _code(study) == 1


def test_seeds_that_change_nothing_are_no_seeds() -> None:
    study = Compare(SIDES, Question(measure="drift"))
    for losses, alike in (([0.3, 0.3], False), ([0.3, 0.3, 0.31], False), ([0.3, 0.3, 0.3], True)):
        study.evidence.pairs[:] = [Pair("run", 1.0, {"drift": {"b": 0.1}}, {"drift": loss}) for loss in losses]
        assert study._seeds_do_nothing is alike


def test_a_script_is_told_what_the_terminal_says() -> None:
    study = Compare(SIDES, Question(budget=120.0))
    study.short.found = {"b": Meaning("identical", "the same numbers", 0.0)}
    for number in range(6):
        study.spending.add(20.0)
        own, whole = 0.011 + 0.004 * (-1) ** number, -0.09 + 0.08 * (-1) ** number
        both = {"throughput": {"b": own}, "throughput_overall": {"b": whole}}
        study._take(Pair("run", 20.0, {**both, "peak_memory": {"b": 0.1}}, {}))
    told = json.loads(json.dumps(study.summary(), allow_nan=False))
    (answer,), enough = told["answers"], study.enough(study.evidence.findings()[0])
    assert enough is not None
    assert (answer["answer"], answer["pairs_needed"]) == ("undecided", enough.pairs)
    assert answer["budget_needed"] == math.ceil(enough.budget) > 120
    assert f"{enough.pairs - 6} more pairs" in told["why_undecided"]
    assert answer["objection"]["estimate"] == pytest.approx(-0.074), "of the five pairs that were looked at"
    measured = ["throughput", "throughput_overall", "peak_memory"]
    assert [each["measure"] for each in told["measures"]] == measured
    study.unmeasured["b"] = "no turn had it"
    study.broken = "b did not train to the end"
    lost = study.summary()
    assert [lost["answers"][0][name] for name in ("pairs_needed", "budget_needed", "objection")] == [None] * 3
    assert (lost["unmeasured"], lost["changed"]) == ({"b": "no turn had it"}, "")


def test_what_counts_as_the_same_is_in_json() -> None:
    (answer,) = Compare(SIDES, Question(resolve=0.02)).summary()["answers"]
    assert answer["margin"] == pytest.approx([math.log(0.98), math.log(1.02)])
