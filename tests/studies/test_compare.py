"""Which pairs a comparison asks for."""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import pytest
import yaml

from harness.base.errors import InputError, ScenarioError
from harness.cli.compare import _code
from harness.execution import worker_archive
from harness.judging.verdict import Verdict
from harness.planning.plan import Plan
from harness.report import compare as report
from harness.statistics.sequential import share
from harness.storage import history, run_folder
from harness.studies import compare, failed, pairs, study_folder
from harness.studies.compare import Compare
from harness.studies.finding import Question
from harness.studies.meaning import Meaning, Trace
from harness.studies.pairs import Pair
from harness.studies.short_runs import MORE, OTHERWISE
from harness.studies.sides import Side, Sides
from harness.studies.study import reopened
from harness.vocabulary.events import Ended, Window
from harness.vocabulary.quantities import ArmMeasures, Quantity
from tests.conftest import SCENARIO
from tests.studies.two_sides import OF_SIDES, SIDES, compared, with_losses


def _known(question: Question, *done: str) -> list[str]:
    study = Compare(SIDES, question)
    assert [trial.key for trial in study.wanted()] == ["meaning"]
    study.short.found = {"b": Meaning("identical", "", 0.0)}
    study._done.update(done)
    return [trial.key for trial in study.wanted()]


def test_pairs_follow_one_another() -> None:
    assert _known(Question()) == ["pair-001"]
    assert _known(Question(), "pair-001") == ["pair-002"]


@pytest.mark.parametrize(
    ("question", "quick"),
    [
        (Question(), [False, True, True, True, True, False]),
        (Question(of_starts=True), [False] * 6),
        (Question("start_up"), [False] * 6),
        (Question("start_up", apart=True), [False] * 6),
        (Question(apart=True), [None] * 6),  # as the scenario says
        (Question("drift"), [True] * 6),
    ],
)
def test_which_pairs_start_quickly(question: Question, quick: list[bool | None]) -> None:
    study = Compare(SIDES, question)
    assert [yaml.safe_load(study.pair(number)).get("quick_start") for number in range(6)] == quick


def test_a_seed_that_is_missing_is_asked_for_and_none_twice() -> None:
    seeds = Question(measure="drift", seeds=6)
    assert _known(seeds) == [f"pair-00{number}" for number in range(1, 7)]
    wanted = _known(seeds, "pair-001", "pair-003", "pair-005", "pair-006")
    assert wanted[:2] == ["pair-002", "pair-004"]
    assert len(wanted) == max(2, os.cpu_count() or 1)
    assert not {"pair-001", "pair-003", "pair-005", "pair-006"} & set(wanted)


def _drifted(*pairs: tuple[float, float | None]) -> Compare:
    """A study of seeds with the steps of each side to a loss; None for a seed that did not reach it."""
    values = {"title": "t", "workload": {"model": "mlp", "steps": 50, "target_loss": 0.5}}
    study = Compare(Sides("q", values, SIDES.sides), Question(measure="steps_to_loss"))
    for one, two in pairs:
        effects = {} if two is None else {"steps_to_loss": {"b": math.log(two / one)}}
        study.evidence.pairs.append(Pair("run", 1.0, effects, {"steps_to_loss": one}))
        study.evidence.look(float(len(study.evidence.pairs)), 20.0)
    return study


def test_nothing_is_decided_while_seeds_are_missing() -> None:
    reached = [(100.0 + seed, 50.0 + seed) for seed in range(8)]
    (all_there,) = _drifted(*reached).evidence.findings()
    assert all_there.word == "better"
    study = _drifted((100.0, None), *reached)
    (one_missing,) = study.evidence.findings()
    assert (one_missing.word, one_missing.missing, one_missing.more) == ("undecided", 1, None)
    assert study.evidence.convergence(SIDES.sides[1]) is None


def test_mlperfs_rule_is_of_the_steps_of_both_sides() -> None:
    found = _drifted(*((100.0 + seed, 50.0 + seed) for seed in range(6))).evidence.convergence(SIDES.sides[1])
    assert found is not None
    assert (found.first, found.other, found.word) == (102.5, pytest.approx(52.5), "fewer")


def _lost(study: Compare, side: str, outcome: Literal["crashed", "diverged"] = "crashed") -> str:
    ended = Ended(1.0, side, "worker/0", outcome, "it ended by signal 9")
    return study._add_lost("pair-001", Pair("run", 1.0, {}, {}), [(side, ended)])


def test_a_side_that_fails_now_and_then_is_never_faster() -> None:
    study = compared(Question())
    _lost(study, "b")
    for effect in (0.03, 0.031, 0.029, 0.03, 0.0305, 0.0295, 0.03):
        study.failed.interrupted()
        study._take(Pair("run", 1.0, {"throughput": {"b": effect}, "throughput_overall": {"b": effect}}, {}))
    (found,) = study.evidence.findings()
    assert (found.word, found.missing, study.broken) == ("undecided", 1, "")


def test_a_side_that_fails_after_it_was_decided_is_not_faster_any_more() -> None:
    """Nor does it keep another side from its answer, whose numbers of that pair count."""
    three = Sides("q", SIDES.values, (*SIDES.sides, Side("c", {"target.env.X": 2})))
    study = Compare(three, Question(resolve=0.05))
    study.short.found = dict.fromkeys("bc", Meaning("identical", "", 0.0))

    def pair(noise: float, **sides: float) -> Pair:
        effects = {side: effect + noise for side, effect in sides.items()}
        return Pair("run", 1.0, {"throughput": effects, "throughput_overall": effects}, {})

    for number in range(8):
        study._take(pair(0.001 * (number % 3), b=0.2, c=0.0))
        study.spending.add(40.0)
    assert [finding.word for finding in study.evidence.findings()] == ["faster", "same"]
    ended = Ended(1.0, "b", "worker/0", "crashed", "it ended by signal 9")
    study._add_lost("pair-009", pair(0.001, c=0.0), [("b", ended)])
    assert [(finding.word, finding.missing) for finding in study.evidence.findings()] == [("undecided", 1), ("same", 0)]


def test_runs_for_meaning_that_lost_a_side_count_each() -> None:
    """Their keys differ, so that a study which is opened again knows all of them."""
    study, keys = Compare(SIDES, Question()), []
    for _ in range(3):
        keys += [trial.key for trial in study.wanted()]
        study._add_lost(keys[-1], Pair("run", 1.0, {}, {}), [("b", Ended(1.0, "b", "worker/0", "crashed", "signal 9"))])
    assert (keys, study.wanted()) == (["meaning", "meaning-2", "meaning-3"], [])
    assert study.broken == "b did not train to the end: crashed: signal 9"
    with pytest.raises(LookupError):
        Compare(SIDES, Question()).add("meaning-x", None, "")


def test_what_may_be_rounding_is_looked_into_once() -> None:
    def short(*losses: float) -> dict[str, Trace]:
        return {"worker/0": Trace(losses, [{"w": str(loss)} for loss in losses])}

    def study(*losses: float) -> Compare:
        found = Compare(SIDES, Question())
        own = short(4.0, 3.0, 2.0, 1.0)
        assert "it computes something else" in found.short.add({"a": own, "again": own, "b": short(*losses)})
        return found

    (trial,) = study(4.0, 3.5, 2.0, 0.9).wanted()
    assert trial.key == "meaning-once-more-1", "it begins at once, and may be an odd run"
    late = study(4.0, 3.0, 2.0, 0.9)
    assert [trial.key for trial in late.wanted()] == ["meaning-rounded"]
    assert late.add("meaning-rounded", None, "no memory") == "meaning-rounded: no memory"
    for key in ("meaning-once-more-1", "meaning-once-more-2"):
        assert [trial.key for trial in late.wanted()] == [key]
        assert late.add(key, None, "no memory") == f"{key}: no memory"
    assert [trial.key for trial in late.wanted()] == ["pair-001"]
    assert late.meanings["b"].word == "different"
    other = {"rounded-1": short(4.0, 3.0, 2.0, 1.05)}
    assert "as far as rounding lets anybody tell" in late.short.add_beside(OTHERWISE, other)
    late.allow(60.0)
    late.spending.add(30.0)
    late.spending.add_beside(40.0)
    assert not late.over, "that is not of the budget"
    assert "something else" in study(4.0, 3.0, 2.0, 0.9).short.add(other), "a side's own name, before ours was known"
    gone = Compare(SIDES, Question())
    assert gone.add("meaning-rounded", None, "") == "meaning-rounded: of a run that is not there any more"
    assert [trial.key for trial in gone.wanted()] == ["meaning"]
    before = study(4.0, 3.0, 2.0, 0.9)
    before._done.add("pair-001")
    assert [trial.key for trial in before.wanted()] == ["pair-002"], "as it was stored before this was asked"


def test_what_parts_after_the_short_runs_is_another_meaning() -> None:
    def compared(drift: float, word: Literal["identical", "alike"] = "identical") -> Compare:
        study = Compare(SIDES, Question())
        study.short.found = {"b": Meaning(word, "the same numbers of 24 steps", 0.0)}
        for apart in (0.0, drift, drift / 2):
            study._take(Pair("run", 1.0, {"throughput": {"b": 0.2}}, {"drift": 0.3}, parted={"b": apart}))
        study._take(Pair("run", 1.0, {"throughput": {"b": 0.2}}, {}))  # nobody saw a loss
        return study

    def known(drift: float, itself: float | None) -> Meaning:
        study = compared(drift)
        study.ends.add(itself)
        return study.meanings["b"]

    found = known(0.25, 0.0)
    assert found == Meaning(
        "different",
        "it computes something else later: the same numbers of 24 steps, and not beyond: "
        "final losses of 2 of 3 pairs differ, by up to 0.2 of themselves",
        0.25,
    )
    asked = compared(0.25)
    assert ([trial.key for trial in asked.wanted()], asked.over) == (["meaning-later"], False)
    assert (asked.meanings["b"].word, _code(asked)) == ("unknown", 3)
    asked.ends.add(1e-6)
    assert ([trial.key for trial in asked.wanted()], _code(asked)) == (["pair-001"], 1)
    for itself, word in ((None, "unknown"), (0.01, "unknown"), (0.1, "alike"), (0.4, "unknown")):
        assert known(0.25, itself).word == word
    assert [known(2.5e-4, itself).word for itself in (5e-5, 9e-5)] == ["different", "alike"]
    assert "seed them" in known(0.25, 0.1).sentence
    assert [trial.key for trial in compared(1e-5).wanted()] == ["pair-001"], "that is rounding"
    assert compared(1e-5).meanings["b"].word == "alike"
    assert compared(0.0).meanings["b"].word == "identical"
    assert compared(0.3, "alike").meanings["b"].word == "alike", "rounding grows"


def test_what_parts_in_few_pairs_may_be_a_race() -> None:
    study = Compare(SIDES, Question())
    study.short.found = {"b": Meaning("identical", "the same numbers of 24 steps", 0.0)}
    for apart in (0.0, 0.0, 0.0, 0.002):
        study._take(Pair("run", 1.0, {"throughput": {"b": 0.2}}, {"drift": 0.3}, parted={"b": apart}))
    study.ends.add(0.0)
    assert (study.meanings["b"].word, _code(study)) == ("unknown", 3)
    for _ in range(2):
        study._take(Pair("run", 1.0, {"throughput": {"b": 0.2}}, {"drift": 0.3}, parted={"b": 0.002}))
    assert study.meanings["b"].word == "different"


def test_whether_the_first_side_ends_where_it_did_is_asked_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of as long a run as pairs have; what comes of it is not of the budget."""

    def study() -> Compare:
        found = compared(Question())
        found.folder = study_folder.create(tmp_path, found.name, found.question)
        found.evidence.pairs[0] = Pair("run", 1.0, {"throughput": {"b": 0.2}}, {"drift": 0.3}, parted={"b": 0.1})
        return found

    monkeypatch.setattr(run_folder, "find", lambda results, name: None)
    monkeypatch.setattr(pairs, "what_ran", lambda folder, facts: {})
    monkeypatch.setattr(pairs, "seconds_of", lambda folder: 8.0)
    asked = study()
    (trial,) = asked.wanted()
    arms = yaml.safe_load(trial.text)["variants"]
    assert (trial.key, sorted(arms), "turns: " in trial.text) == ("meaning-later", ["a", "again"], True)
    whole, losses = Ended(1.0, "", "", "completed", ""), {"a": 0.3, "again": 0.27}
    both = [
        ArmMeasures(name, name, 1, 1, whole, (), {("final_loss", ""): Quantity("final_loss", "loss", loss, 1)})
        for name, loss in losses.items()
    ]
    told = asked.add("meaning-later", Verdict("run", "", "pass", "", (), both, (), (), {}), "")
    assert told.startswith("meaning-later: b: it ends elsewhere, and so does the first one, run once more, by 0.1")
    assert (asked.spending.taken, asked.spending.spent, [each.key for each in asked.wanted()]) == (
        8.0,
        0.0,
        ["pair-001"],
    )
    stopped = [replace(both[0], ended=INTERRUPTED.ended), both[1]]
    assert study().counts(Verdict("run", "", "fail", "", (), stopped, (), (), {})), "it is not made again"
    for verdict in (None, Verdict("run", "", "invalid", "SIGTERM", (), stopped, (), (), {})):
        lost = study()
        assert lost.add("meaning-later", verdict, "no room") == f"meaning-later: {'SIGTERM' if verdict else 'no room'}"
        assert [each.key for each in lost.wanted()] == ["pair-001"]
        assert lost.meanings["b"].word == "unknown"


def test_the_first_side_goes_as_far_as_it_does_in_pairs_however_many_sides_there_are() -> None:
    study = Compare(Sides("q", SIDES.values, (*SIDES.sides, Side("c", {"target.env.X": 2}))), Question())
    study.short.found = dict.fromkeys("bc", Meaning("identical", "", 0.0))
    study._step = 0.015
    study._take(Pair("run", 1.0, {"throughput": {"b": 0.2}}, {"drift": 0.3}, parted={"b": 0.1, "c": 0.0}))
    (trial,) = study.wanted()
    later, pair = (yaml.safe_load(text) for text in (trial.text, study.pair(1)))
    assert (later["turns"], later["workload"]["steps"]) == (pair["turns"], pair["workload"]["steps"])
    study.ends.add(0.0)
    assert study.meanings["b"].word == "different"
    study._go_apart()
    study._take(Pair("run", 1.0, {"throughput": {"b": 0.2}}, {"drift": 0.3}, parted={"b": 0.1}))
    assert [each.key for each in study.wanted()] == ["meaning-later-2"], "alone it may end elsewhere"


def test_what_was_asked_before_the_first_side_was_run_again_says_what_it_said() -> None:
    question = {name: value for name, value in Compare(SIDES, Question()).question.items() if name != "of_ends"}
    for asked, word in ((question, "different"), ({**question, "of_ends": True}, "unknown")):
        study = Compare.asked(asked, Path())
        study.short.found = {"b": Meaning("identical", "", 0.0)}
        for _ in range(2):
            for apart in (0.1, 0.0, 0.0, 0.0):
                study._take(Pair("run", 1.0, {"throughput": {"b": 0.2}}, {"drift": 0.3}, parted={"b": apart}))
            assert study.meanings["b"].word == word
            assert Compare.asked(study.question, Path()).question == study.question == asked
            study._go_apart()


@pytest.mark.parametrize(("middle", "word"), [(0.08, "unknown"), (0.012, "alike"), (0.0, "alike")])
def test_what_is_alike_but_ends_elsewhere_in_one_direction_is_not_known(middle: float, word: str) -> None:
    """Rounding that grows ends now higher, now lower; 1.2 % more may be no more than half of what seeds differ by."""
    study = Compare(SIDES, Question())
    study.short.found = {"b": Meaning("alike", "alike as far as rounding lets anybody tell", 0.02, 0.05)}
    for number in range(12):
        drift, loss = middle + 0.01 * (-1) ** number, 0.3 + 0.01 * (-1) ** (number // 2)
        effects = {"throughput": {"b": 0.2 + drift / 100}, "drift": {"b": drift}}
        study._take(Pair("run", 20.0, effects, {"drift": loss}, parted={"b": abs(drift)}))
        study.spending.add(20.0)
    found = study.meanings["b"]
    assert (found.word, found.rounding) == (word, 0.05)
    assert ("+8.33%" in found.sentence, "in 12 pairs" in found.sentence) == (word == "unknown", word == "unknown")
    assert _code(study) == (3 if word == "unknown" else 0)


def test_a_pair_without_the_number_lets_nothing_be_decided() -> None:
    """Else it would be those pairs only in which the slowest side stood still that are left out."""
    study = compared(Question())
    for _ in range(9):
        study._take(Pair("run", 20.0, {"throughput": {"b": 0.2}, "throughput_overall": {"b": 0.2}}, {}))
        study.spending.add(20.0)
    assert study.evidence.answer(SIDES.sides[1]).word == "faster"
    none = Verdict(
        "run", "", "pass", "", (), [ArmMeasures(side, side, 1, 1, None, (), {}) for side in "ab"], (), (), {}
    )
    assert study._add_pair("pair-011", none, 1.0).startswith("pair-011: throughput was not measured")
    for found in (study.evidence.answer(SIDES.sides[1]), study.evidence.finding("throughput", SIDES.sides[1])):
        assert (found.word, found.missing) == ("undecided", 1)
    assert study.over, "nothing can be decided any more"


def test_a_comparison_that_went_apart_is_so_when_it_is_opened_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, plan_of: Callable[..., Plan]
) -> None:
    """Runs whose first side was lost are passed over then: what came of them shows in those that followed."""
    study = Compare(SIDES, Question())
    study.short.found = {"b": Meaning("identical", "", 0.0)}
    study.folder = study_folder.create(tmp_path, study.name, study.question)
    folder = run_folder.create(tmp_path, "q", "0" * 64)
    folder.write("plan.json", plan_of(SCENARIO, ("variants", {"a": {}, "b": {"workload.batch_size": 64}})).text())
    monkeypatch.setattr(run_folder, "find", lambda results, name: folder)
    monkeypatch.setattr(pairs, "what_ran", lambda folder, facts: {})
    monkeypatch.setattr(pairs, "seconds_of", lambda folder: 3.0)
    whole = Ended(1.0, "", "", "completed", "")
    arms = [ArmMeasures(side, side, 1, 1, whole, (), {}) for side in "ab"]
    study.evidence.pairs.append(Pair("lost", 1.0, {}, {}))
    study.add("pair-004", Verdict("run", "", "pass", "", (), arms, (), (), {}), "")
    assert (study.duet, [pair.run for pair in study.evidence.pairs]) == (False, ["run"])
    assert "turns: " not in study.pair(5)


def test_a_script_hears_no_more_than_a_reader_where_a_side_is_lost() -> None:
    study = compared(Question())
    for number in range(9):
        effect = {"b": 0.2 + 0.001 * (number % 2)}
        study._take(Pair("run", 20.0, {"throughput": effect, "throughput_overall": effect}, {}))
        study.spending.add(20.0)
    assert [each["answer"] for each in study.summary()["answers"]] == ["faster"]
    study.broken = "c did not train to the end"
    assert [each["answer"] for each in study.summary()["answers"]] == ["undecided"]


def test_a_side_that_fails_three_times_is_an_answer() -> None:
    study = compared(Question())
    for _ in range(3):
        assert (study.broken, study.over) == ("", False)
        _lost(study, "b")
        study.failed.interrupted()  # a pair came between
    assert (study.broken, study.over) == ("b did not train to the end: crashed: it ended by signal 9", True)


def test_sides_that_cannot_live_side_by_side_run_one_after_the_other() -> None:
    """What never trained in turns may do so alone, as where memory is short; else that is the answer."""
    study = Compare(SIDES, Question())
    study.short.found = {"b": Meaning("identical", "", 0.0)}
    assert "turns: " in study.wanted()[0].text
    told = [_lost(study, "b") for _ in range(3)]
    assert told[-1].endswith("; from now on sides run one after the other")
    assert (study.broken, study.over, study.duet) == ("", False, False)
    assert "turns: " not in study.wanted()[0].text
    for _ in range(3):
        _lost(study, "b")
    assert study.broken


@pytest.mark.parametrize(
    ("reason", "over"),
    [
        ("worker/0 ended with exit status 1 before all were ready: RefusedError: amp bfloat16 is not available", True),
        ("worker/0 ended with exit status 1 before all were ready: MXNetError: bind failed", False),
    ],
)
def test_what_the_first_mxnet_does_not_have_is_asked_once(reason: str, over: bool) -> None:
    study = Compare(SIDES, Question())
    study._add_lost("meaning", Pair("run", 1.0, {}, {}), [("a", Ended(1.0, "a", "worker/0", "refused", reason))])
    assert (study.over, study.wanted() == []) == (over, over)
    lost = ArmMeasures("a", "a", 1, 1, Ended(1.0, "a", "worker/0", "refused", reason), (), {})
    assert study.counts(Verdict("run", "", "fail", "", (), (lost,), (), (), {})) == over
    assert study.unavailable == (f"a did not train to the end: refused: {reason}" if over else "")
    assert study.nothing == f"nothing was compared: a did not train to the end: refused: {reason}"


def test_a_seed_with_which_the_other_side_diverges_is_the_answer_at_once() -> None:
    study = compared(Question(measure="drift"))
    _lost(study, "b", "diverged")
    assert study.broken == "b did not train to the end: diverged: it ended by signal 9"


def test_a_seed_with_which_the_first_side_diverges_is_missing() -> None:
    study = compared(Question(measure="drift"))
    _lost(study, "a", "diverged")
    assert (study.broken, study.evidence.finding("drift", SIDES.sides[1]).missing) == ("", 1)


def test_where_the_first_side_diverges_too_one_seed_of_the_other_is_no_answer() -> None:
    study = compared(Question(measure="drift"))
    _lost(study, "a", "diverged")
    _lost(study, "b", "diverged")
    assert (study.broken, study.evidence.finding("drift", SIDES.sides[1]).word) == ("", "undecided")


def test_a_first_side_that_ends_before_there_are_pairs_is_no_pair() -> None:
    study = Compare(SIDES, Question(measure="drift"))
    ended = Ended(1.0, "a", "worker/0", "crashed", "it ended by signal 9")
    study._add_lost("meaning", Pair("run", 1.0, {}, {}), [("a", ended)])
    assert study.evidence.pairs == []


def test_the_first_side_and_the_machine_are_no_answer_about_the_other() -> None:
    for side in ("a", "again"):
        study = Compare(SIDES, Question())
        for _ in range(3):
            _lost(study, side)
        assert (study.broken, study.over, study.wanted()) == ("", True, [])
    mixed = Compare(SIDES, Question())
    for side in ("b", "a", "b"):
        _lost(mixed, side)
    assert (mixed.broken, mixed.over, mixed.failed.tries_again) == ("", True, True)


@pytest.mark.parametrize("lost", ["aaa", "aba", "bab", "bbb"])
def test_sides_that_never_lived_together_run_one_after_the_other(lost: str) -> None:
    """Who is ended where memory does not serve both is a matter of luck."""
    study = Compare(SIDES, Question())
    study.short.found = {"b": Meaning("identical", "", 0.0)}
    told = [_lost(study, side) for side in lost]
    assert (study.duet, study.failed.in_vain, study.broken) == (False, False, "")
    assert told[-1].endswith("; from now on sides run one after the other")


def test_sides_that_lived_together_once_are_not_parted() -> None:
    study = compared(Question())
    for side in "aba":
        _lost(study, side)
    assert (study.duet, study.failed.in_vain) == (True, True)


def test_a_side_that_fell_in_a_short_run_is_not_faster() -> None:
    study = Compare(SIDES, Question())
    study._add_lost("meaning", Pair("run", 1.0, {}, {}), [("b", Ended(1.0, "b", "worker/0", "crashed", "signal 9"))])
    study.short.found = {"b": Meaning("identical", "", 0.0)}
    for noise in (0.0, 0.001, -0.001, 0.002):
        both = {name: {"b": 0.2 + noise} for name in ("throughput", "throughput_overall")}
        study._take(Pair("run", 100.0, both, {}))
        study.spending.add(100.0)
    assert [finding.word for finding in study.evidence.findings()] == ["undecided"]
    assert _code(study) == 3
    study.evidence.fallen.clear()
    assert [finding.word for finding in study.evidence.findings()] == ["faster"]


def test_what_is_not_measured_is_not_when_it_is_opened_again() -> None:
    study = Compare(SIDES, Question())
    for _ in range(3):
        study._failed("pair-001", "peak memory was not measured: no turn had it")
    assert (study.failed.in_vain, study.failed.tries_again) == (True, False)


def test_a_key_of_nothing_is_no_pair() -> None:
    study = Compare(SIDES, Question())
    for key in ("hello", "pair-", "pair-1x"):
        with pytest.raises(LookupError):
            study.add(key, None, "")


def test_where_only_meaning_is_asked_no_pair_is_made_once_it_is_another() -> None:
    for word, keys in (("different", []), ("identical", ["pair-001"])):
        study = Compare(SIDES, Question(of_meaning=True))
        study.short.found = {"b": Meaning(word, "the loss of step 3", 0.1)}  # type: ignore[arg-type]
        study.short.tried = {*MORE}
        assert [trial.key for trial in study.wanted()] == keys
        assert Compare.asked(study.question, Path()).question_.of_meaning
    study.short.found = {"b": Meaning("different", "the loss of step 3", 0.1)}
    assert study.in_words == f"q: b has another meaning; no pair was made: short runs tell what both compute {OF_SIDES}"


def test_variables_that_nobody_reads_are_kept_with_the_question() -> None:
    study = Compare(SIDES, Question())
    study.unread = {"MXNET_ENGIN_TYPE": "MXNET_ENGINE_TYPE"}
    again = Compare.asked(study.question, Path())
    assert again.unread == study.unread
    assert again.question == study.question
    assert again.summary()["unread"] == study.unread


def test_pairs_tell_what_a_step_takes_without_hashing() -> None:
    def turns(step: float) -> list[Window]:
        return [Window(1.0, arm, "worker/0", first, 1, step) for arm in "ab" for first in (0, 1, 2)]

    study = Compare(SIDES, Question())
    known = []
    for step in (0.3, 0.07, 0.08):
        study._learn(turns(step))
        known.append(study._step)
    study._learn([])
    assert [*known, study._step] == [0.3, 0.07, 0.07, 0.07]


def test_a_study_that_was_stored_has_its_sides_in_their_order(tmp_path: Path) -> None:
    """The first is what others are compared with, whatever their names are."""
    sides = Sides("q", SIDES.values, (Side("old", {}), Side("new", {"target.env.X": 1})))
    folder = study_folder.create(tmp_path, "compare", Compare(sides, Question()).question)
    again = reopened(Compare, folder)
    assert [side.name for side in again.scenario.sides] == ["old", "new"]


@pytest.mark.parametrize("losses", [(0.3, 0.0), (0.0, 0.3), (0.3, None)])
def test_a_seed_whose_loss_says_nothing_is_missing(losses: tuple[float, float | None]) -> None:
    """It may be the best or the worst of all: the others do not decide without it."""
    study = compared(Question(measure="drift", seeds=4))
    study._add_pair("pair-002", with_losses(*losses), 1.0)
    for number in range(6):
        study._take(Pair("run", 1.0, {"drift": {"b": 0.5 + 0.01 * number}}, {"drift": 0.3 + 0.01 * number}))
    (found,) = study.evidence.findings()
    assert (found.word, found.missing, study.broken) == ("undecided", 1, "")


def test_what_is_run_may_not_change_meanwhile() -> None:
    """Not every run has all sides: those of the first alone say nothing of the other's files and target."""
    study = Compare(SIDES, Question())
    both = {"the harness": "1", "/new.py": 3, "the target of a": "1.8.0", "the target of b": "1.9.1"}
    assert study._what_changed(both) == ""
    assert study._what_changed({"the harness": "1", "the target of again-2": "1.8.0"}) == ""
    end = "has changed since this was begun; begin a new comparison"
    for what, now in (("the harness", "2"), ("/new.py", 4), ("the target of b", "1.8.0")):
        assert study._what_changed({**both, what: now}) == f"{what} {end}"
        assert study._what_changed(both) == ""
    study.changed = end
    assert (study.over, study.wanted()) == (True, [])


def test_a_seed_whose_run_cannot_be_trusted_is_run_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    study = Compare(SIDES, Question(measure="drift"))
    study.short.found = {"b": Meaning("identical", "", 0.0)}
    study.folder = study_folder.create(tmp_path, study.name, study.question)
    monkeypatch.setattr(run_folder, "find", lambda results, name: None)
    monkeypatch.setattr(pairs, "what_ran", lambda folder, facts: {})
    monkeypatch.setattr(pairs, "seconds_of", lambda folder: 3.0)
    first = study.wanted()[0].key
    lost = ArmMeasures("b", "b", 1, 1, Ended(1.0, "b", "", "interrupted", "SIGTERM"), (), {})
    verdict = Verdict("run", "", "invalid", "SIGTERM", (), (lost,), (), (), {})
    assert not verdict.trusted
    assert study.add(first, verdict, "") == f"{first}: b: SIGTERM"
    assert first in [trial.key for trial in study.wanted()]


@pytest.mark.parametrize(("now", "counts"), [(3, True), (4, False)])
def test_a_run_of_what_is_as_it_was_again_is_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, now: int, counts: bool
) -> None:
    study = Compare(SIDES, Question())
    study.folder = study_folder.create(tmp_path, study.name, study.question)
    study._what_changed({"/new.py": 3})
    monkeypatch.setattr(run_folder, "find", lambda results, name: None)
    monkeypatch.setattr(pairs, "what_ran", lambda folder, facts: {"/new.py": now})
    monkeypatch.setattr(pairs, "seconds_of", lambda folder: 3.0)
    verdict = Verdict("run", "", "pass", "", (), (), (), (), {})
    assert study.counts(verdict) == counts
    study.passed_over("pair-001", verdict)
    assert study.left_out == ([] if counts else ["run, for which /new.py had changed"])


def test_a_run_once_more_that_failed_was_made_when_it_is_opened_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is beside the budget, as when it was made, and not made again."""
    study = Compare(SIDES, Question())
    study.folder = study_folder.create(tmp_path, study.name, study.question)
    one, other = ({"worker/0": Trace((4.0, loss), [{"w": "1"}, {"w": str(loss)}])} for loss in (3.0, 3.5))
    study.short.add({"a": one, "again": one, "b": other})
    monkeypatch.setattr(run_folder, "find", lambda results, name: Folder())
    monkeypatch.setattr(pairs, "what_ran", lambda folder, facts: {})
    monkeypatch.setattr(pairs, "seconds_of", lambda folder: 20.0)
    monkeypatch.setattr(history, "read", lambda path: [])
    verdict = Verdict("run", "", "invalid", "SIGTERM", (), (INTERRUPTED,), (), (), {})
    assert not study.counts(verdict)
    study.passed_over("meaning-once-more-1", verdict)
    assert (study.spending.spent, study.spending.taken) == (0.0, 20.0)
    (trial,) = study.wanted()
    assert trial.key == "meaning-once-more-2"


class Folder:
    path = Path()


def test_what_came_of_other_rounding_counts_whatever_it_was() -> None:
    """Else it would be asked for again when the study is opened again."""
    study, ended = Compare(SIDES, Question()), Ended(1.0, "again", "worker/0", "crashed", "signal 9")
    arms = tuple(ArmMeasures(name, name, 1, 1, ended, (), {}) for name in ("again", "rounded-1"))
    assert study.counts(Verdict("run", "", "invalid", "SIGTERM", (), arms, (), (), {}))
    assert not study.counts(Verdict("run", "", "invalid", "SIGTERM", (), arms[:1], (), (), {}))


def test_what_a_run_was_of(tmp_path: Path, plan_of: Callable[..., Plan]) -> None:
    """A target that all had stands for all; what a side whose worker did not come so far had is not known."""
    plan = plan_of(SCENARIO, ("variants", {"a": {}, "b": {"workload.batch_size": 64}}))
    folder = run_folder.create(tmp_path, plan.scenario, plan.hash)
    folder.write("plan.json", plan.text())
    folder.write("worker.pyz", worker_archive.build())
    old, new = {"mxnet": "1.8.0"}, {"mxnet": "1.9.1"}
    whole = pairs.what_ran(folder, {"target": old})
    assert (whole["the target of a"], whole["the target of b"]) == (old, old)
    assert whole["the harness"] == plan.harness
    assert "_harness_worker/main.py" in whole
    apart = pairs.what_ran(folder, {"target": new, "targets": {"b": new}})
    assert ("the target of a" in apart, apart["the target of b"]) == (False, new)
    assert not any("target" in name for name in pairs.what_ran(folder, {}))
    assert pairs.what_ran(folder, {"cpu_model": "EPYC"})["cpu_model of the machine"] == "EPYC"
    assert not any("addresses" in name for name in pairs.what_ran(folder, {"fixed_addresses": True})), "without turns"


@pytest.mark.parametrize("told", [{"fixed_addresses": True}, {"fixed_addresses": False}, {}])
def test_sides_that_take_turns_are_not_gone_on_with_where_addresses_are_drawn_instead(
    tmp_path: Path, plan_of: Callable[..., Plan], told: dict[str, Any]
) -> None:
    plan = plan_of(SCENARIO, ("turns", 1), ("variants", {"a": {}, "b": {"workload.batch_size": 64}}))
    folder = run_folder.create(tmp_path, plan.scenario, plan.hash)
    folder.write("plan.json", plan.text())
    folder.write("worker.pyz", worker_archive.build())
    ran = pairs.what_ran(folder, told)
    assert [fact for name, fact in ran.items() if "addresses" in name] == list(told.values())


def test_what_diverges_at_once_is_not_tried_again() -> None:
    study = Compare(SIDES, Question())
    study._add_lost(
        "meaning", Pair("run", 1.0, {}, {}), [("b", Ended(1.0, "b", "worker/0", "diverged", "loss is nan"))]
    )
    assert (study.broken, study.over) == ("b did not train to the end: diverged: loss is nan", True)
    assert study.failed.fallen == {"b": [study.broken]}


def test_what_diverges_in_turns_would_apart() -> None:
    study = Compare(SIDES, Question())
    study.short.found = {"b": Meaning("identical", "", 0.0)}
    for _ in range(3):
        _lost(study, "b", "diverged")
    assert (study.duet, study.broken) == (True, "b did not train to the end: diverged: it ended by signal 9")


def test_all_of_the_time_objects_where_few_turns_take_most_of_it() -> None:
    study = Compare(SIDES, Question())
    study.short.found = {"b": Meaning("identical", "", 0.0)}
    for noise in (0.0, 0.03, -0.03, 0.02, -0.02, 0.01):
        both = {"throughput": {"b": noise}, "throughput_overall": {"b": noise - 1.0}}
        study.spending.add(40.0)
        study._take(Pair("run", 40.0, both, {}))
    usual = study.evidence.finding("throughput", SIDES.sides[1])
    objection = study.evidence.objection(usual)
    assert objection is not None and objection.mean is not None
    assert objection.mean.estimate == pytest.approx(-1.0, abs=0.02)


def test_how_many_pairs_were_disturbed() -> None:
    study = compared(Question())
    assert study.evidence.doubt == ""
    for run, disturbed in (("one", "others used 40%"), ("two", "others used 30%")):
        study._take(Pair(run, 1.0, {"throughput": {"b": 0.03}}, {}, disturbed))
    assert study.evidence.doubt == " (1 of 2 pairs were disturbed)", "the first was made again"
    counts = {pair["run"]: pair["counts"] for pair in study.summary()["pairs"]}
    assert counts == {"run": True, "one": False, "two": True}


@pytest.mark.parametrize(
    "wrong",
    [{"resolve": 1.0}, {"resolve": -5.0}, {"resolve": 0.0}, {"budget": 0.0}, {"budget": math.inf}, {"measure": "x"}],
)
def test_a_question_that_cannot_be_asked(wrong: dict[str, Any]) -> None:
    assert Question(limit=-5.0).limit == -5.0, "a night whose budget is spent leaves less than nothing"
    with pytest.raises(InputError, match=r"less than 100%|are numbers above 0|is not a measure"):
        Question(**wrong)


def _three(*sides: str) -> Compare:
    study = Compare(Sides("q", SIDES.values, (*SIDES.sides, Side("c", {"target.env.X": 2}))), Question())
    study.short.found = dict.fromkeys("bc", Meaning("identical", "", 0.0))
    for side in sides:
        study._take(Pair("run", 1.0, {"throughput": {side: 0.0}, "throughput_overall": {side: 0.0}}, {}))
    return study


CRASHED = Ended(1.0, "b", "worker/0", "crashed", "signal 9")


def test_two_sides_that_are_lost_at_once_are_two_answers() -> None:
    study, lived = _three(), _three("b", "c")
    for each in (study, lived):
        for _ in range(2):
            each._add_lost("pair-001", Pair("run", 1.0, {}, {}), [("b", CRASHED), ("c", CRASHED)])
            assert (each.over, each.broken, set(each.failed.fallen)) == (False, "", {"b", "c"})
        each._add_lost("pair-001", Pair("run", 1.0, {}, {}), [("b", CRASHED), ("c", CRASHED)])
    assert (study.duet, study.broken) == (False, ""), "they may not fit into memory at once"
    told = "b did not train to the end: crashed: signal 9; c did not train to the end: crashed: signal 9"
    assert (lived.duet, lived.broken) == (True, told)


def test_other_sides_that_are_lost_by_turns_are_not_given_up() -> None:
    study = _three("b", "c")
    for side in "cbc":
        _lost(study, side)
        assert (study.failed.in_vain, study.over) == (False, False)
    _lost(study, "c")
    assert (study.broken, _code(study)) == ("c did not train to the end: crashed: it ended by signal 9", 1)


def test_a_side_without_the_number_leaves_the_others_their_question() -> None:
    study = _three("b")
    assert [finding.missing for finding in study.evidence.findings()] == [0, 1]
    assert (study.lacks_numbers, study.over) == (False, False)
    study._take(Pair("run", 1.0, {"throughput": {"c": 0.0}}, {}))
    assert (study.lacks_numbers, study.over) == (True, True)
    study.unmeasured["b"] = "no turn had it"
    assert study.why_undecided == "no turn had it", "there was time enough"


def test_a_side_that_is_slower_and_fails_once_is_slower() -> None:
    """Also while another one is not decided: nothing makes it the same or faster."""
    study = _three()
    noise = [0.0, 0.001, -0.001, 0.002, -0.002, 0.001]
    for apart in noise:
        effects = {"b": -0.1 + apart, "c": 20 * apart}
        study.spending.add(40.0)
        study._take(Pair("run", 40.0, {"throughput": effects, "throughput_overall": effects}, {}))
    assert [finding.word for finding in study.evidence.findings()] == ["slower", "undecided"]
    effects = {"c": 0.0}
    study._add_lost(
        "pair-007", Pair("run", 40.0, {"throughput": effects, "throughput_overall": effects}, {}), [("b", CRASHED)]
    )
    assert [finding.word for finding in study.evidence.findings()] == ["slower", "undecided"]
    assert _code(study) == 1


def test_a_seed_that_failed_is_made_again_whatever_is_spent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As the study is opened again: what the others said is no answer without it."""
    study = Compare(SIDES, Question(measure="drift", seeds=4, budget=30.0, resolve=0.1))
    study.short.found = {"b": Meaning("identical", "", 0.0)}
    study.folder = study_folder.create(tmp_path, study.name, study.question)
    monkeypatch.setattr(run_folder, "find", lambda results, name: None)
    monkeypatch.setattr(pairs, "what_ran", lambda folder, facts: {})
    monkeypatch.setattr(pairs, "seconds_of", lambda folder: 8.0)
    lost = ArmMeasures("a", "a", 1, 1, Ended(1.0, "a", "", "diverged", "loss is nan"), (), {})
    failed = Verdict("failed", "", "fail", "", (), (lost,), (), (), {})
    assert not study.counts(failed)
    effects = [0.001, 0.002, -0.001, -0.002, 0.0, 0.001]
    for number, effect in enumerate(effects, 1):
        if number == 3:
            study.passed_over("pair-003", failed)
            continue
        study._done.add(f"pair-00{number}")
        study.spending.add(8.0)
        study._take(Pair("run", 8.0, {"drift": {"b": effect}}, {"drift": 0.3 + number / 1000}))
    (found,) = study.evidence.findings()
    assert (found.word, found.missing, study.over) == ("undecided", 1, False)
    assert [trial.key for trial in study.wanted()] == ["pair-003"], "the budget has no room for new ones"
    _lost(study, "b", "diverged")
    assert study.broken == "", "the first side diverged, too"
    study.evidence.pairs.pop()
    study.passed_over("pair-003", failed)  # it failed twice
    study._done.add("pair-003")
    study._forget("pair-003")
    study._take(Pair("run", 8.0, {"drift": {"b": -0.001}}, {"drift": 0.303}))
    assert ([found.word for found in study.evidence.findings()], study.over) == (["same"], True)


def test_a_seed_of_which_nothing_was_known_is_missing_only_where_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What could not be trusted was no seed when it was run, and is none when the study is opened again."""
    study = Compare(SIDES, Question(measure="drift", seeds=4))
    study.folder = study_folder.create(tmp_path, study.name, study.question)
    monkeypatch.setattr(run_folder, "find", lambda results, name: None)
    monkeypatch.setattr(pairs, "what_ran", lambda folder, facts: {})
    monkeypatch.setattr(pairs, "seconds_of", lambda folder: 8.0)
    lost = ArmMeasures("a", "a", 1, 1, Ended(1.0, "a", "", "interrupted", "SIGTERM"), (), {})
    study.passed_over("pair-003", Verdict("run", "", "invalid", "SIGTERM", (), (lost,), (), (), {}))
    assert (study.evidence.pairs, study.spending.taken) == ([], 8.0)
    study._what_changed({"/new.py": 3})
    monkeypatch.setattr(pairs, "what_ran", lambda folder, facts: {"/new.py": 4})
    diverged = ArmMeasures("a", "a", 1, 1, Ended(1.0, "a", "", "diverged", "loss is nan"), (), {})
    study.passed_over("pair-004", Verdict("run", "", "fail", "", (), (diverged,), (), (), {}))
    assert (study.evidence.pairs, study._first_diverged) == ([], False), "it was of another script"


def test_a_loss_that_is_no_number_is_no_answer_where_the_first_sides_was_none_either() -> None:
    for first, broken in ((False, "the final loss of b is not a finite number"), (True, "")):
        study = compared(Question(measure="drift"))
        study._first_diverged = first
        study._add_pair("pair-002", with_losses(0.3, math.inf), 1.0)
        assert study.broken == broken


def test_why_a_number_is_missing_is_told_of_pairs_that_count_only() -> None:
    study = _three("b")
    study.unmeasured["b"] = "no turn had it"  # of a pair that was made again
    b, c = study.evidence.findings()
    study.unmeasured["c"] = "its batches were not seen"
    told = [report._undecided(study, finding) for finding in (b, c)]
    assert "no such number" not in told[0]
    assert told[1] == "a pair has no such number, without which nothing is decided: its batches were not seen"


@pytest.mark.parametrize("how", ["first side lost", "not trusted"])
def test_a_last_run_that_says_nothing_takes_time_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    """What is due by then is looked at, as it is when the study is opened again."""
    study = compared(Question(budget=100.0))
    study.spending.taken = 40.0
    assert study.evidence.looks[-1].share < share(1.0)
    if how == "first side lost":
        study.spending.taken = 100.0
        _lost(study, "a")
    else:
        study.folder = study_folder.create(tmp_path, study.name, study.question)
        monkeypatch.setattr(run_folder, "find", lambda results, name: None)
        monkeypatch.setattr(pairs, "what_ran", lambda folder, facts: {})
        monkeypatch.setattr(pairs, "seconds_of", lambda folder: 60.0)
        study.add("pair-002", Verdict("run", "", "invalid", "SIGTERM", (), (INTERRUPTED,), (), (), {}), "")
    assert (study.evidence.looks[-1].n, study.evidence.looks[-1].share) == (1, share(1.0))


INTERRUPTED = ArmMeasures("b", "b", 1, 1, Ended(1.0, "b", "", "interrupted", "SIGTERM"), (), {})


def test_what_a_side_said_last_is_told_as_a_terminal_may_have_it() -> None:
    ended = Ended(1.0, "b", "worker/0", "aborted", "it ended", "first\nexpect int but value='abc' \x1b[31m")
    assert failed.why_not("b", ended, "aborted: it ended") == (
        "b: aborted: it ended; it said last: expect int but value='abc' �[31m"
    )
    assert failed.why_lost("b", ended).endswith("it said last: expect int but value='abc' �[31m")


def test_where_training_goes_is_asked_no_side_is_run_once_more() -> None:
    for measure, keys in (("throughput", ["meaning-once-more-1"]), ("drift", ["pair-001", "pair-002", "pair-003"])):
        study = Compare(SIDES, Question(measure))
        study.short.found = {"b": Meaning("different", "the loss of step 3", 0.1)}
        assert [trial.key for trial in study.wanted()][:3] == keys


def test_seeds_are_not_all_planned_at_once() -> None:
    study = Compare(SIDES, Question("drift", seeds=1000))
    study.short.found = {"b": Meaning("identical", "", 0.0)}
    assert len(study.wanted()) == min(1000, compare.AT_ONCE * (os.cpu_count() or 1))


def test_a_study_whose_script_is_gone_is_shown_and_not_gone_on_with(tmp_path: Path) -> None:
    script = tmp_path / "train.py"
    script.write_text("")
    values = {"title": "t", "workload": {"script": str(script), "steps": 50}}
    scenario = Sides("q", values, (Side("a", {}), Side("b", {"target.env.X": "1"})))
    question = Compare(scenario, Question()).question
    script.unlink()
    again = Compare.asked(question, tmp_path)
    assert again.changed == f"workload.script: {script} is not a file, but was when this was begun"
    assert (list(again.wanted()), again.over) == ([], True)
    assert again.summary()["why_undecided"] == again.changed
    assert again.in_words.startswith(f"q: nothing was compared: {again.changed}")
    with pytest.raises(ScenarioError, match="is not a file"):
        Compare(scenario, Question())
