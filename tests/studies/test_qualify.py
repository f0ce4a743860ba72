"""Which parts a qualification has, and what their findings come to."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from harness.base.errors import InputError, ScenarioError
from harness.execution import processor
from harness.execution.interruption import Interruption
from harness.scenario.schema import Target
from harness.statistics.sequential import Look
from harness.studies import (
    accepted,
    comparison,
    operator_reasons,
    qualification,
    qualify,
    side_reasons,
    study_folder,
    upgrade_scenarios,
)
from harness.studies.accepted import Acceptance
from harness.studies.compare import Compare
from harness.studies.meaning import Meaning
from harness.studies.operators import Operators
from harness.studies.pairs import Pair
from harness.studies.parity import Difference, Parity
from harness.studies.qualification import NEW, Asked
from harness.studies.qualify import Qualify
from harness.studies.row import Reason, Row, accepting
from harness.studies.study import Study, Trial

VALUES: Mapping[str, Any] = {
    "title": "t",
    "workload": {"model": "mlp", "steps": 50},
    "target": {"env": {"MXNET_A": "1"}},
}
FAULTY = {**VALUES, "faults": [{"pause": {"at": {"step": 5}, "for": {"time": "1s"}}}]}
ASKED = Asked(Target(mxnet="1.8.0.post0"), Target(mxnet="1.9.1", env={"MXNET_B": "2"}), {"one": VALUES})


def test_parts_in_order_and_speed_while_nothing_else_computes() -> None:
    study = Qualify(replace(ASKED, scenarios={"one": VALUES, "two": VALUES, "pause": FAULTY}))
    each = [f"{kind}-{name}" for kind in ("drift", "speed", "latency") for name in ("one", "two")]
    assert study.keys == ["starts", "operators", *each, "survival"]
    assert [trial.key for trial in study.wanted()] == ["starts"]
    assert Qualify(replace(ASKED, rows=("speed", "starts"))).keys == ["starts", "speed-one", "latency-one"]


def test_asked_again_it_is_the_same() -> None:
    study = Qualify(replace(ASKED, topologies=("horovod",), operators=("exp",), seeds=5))
    again = Qualify.asked(study.question, Path())
    assert again.question == study.question
    assert again.asked_ == study.asked_
    older = {name: value for name, value in study.question.items() if name != "latency"}
    assert "latency-one" not in Qualify.asked(older, Path()).keys


def test_one_whose_script_is_gone_is_shown(tmp_path: Path) -> None:
    script = tmp_path / "train.py"
    script.write_text("")
    values = {"title": "t", "workload": {"script": str(script), "steps": 60}}
    study = Qualify(replace(ASKED, scenarios={"own": values}, rows=(qualification.SPEED,)))
    script.unlink()
    again = Qualify.asked(study.question, tmp_path)
    assert again.keys == ["speed-own", "latency-own"]
    with pytest.raises(ScenarioError, match="is not a file"):
        Qualify(study.asked_)
    folder = study_folder.create(tmp_path, "qualify", study.question)
    (answer,) = again.run([Trial("speed-own")], folder, Interruption(), None)
    assert "is not a file, but was when this was begun" in answer.failure, "it is asked once the script is back"


def test_sides_differ_in_their_targets_only() -> None:
    old, new = ASKED.sides("one").sides
    assert (old.fields, new.fields) == (
        {"target.mxnet": "1.8.0.post0"},
        {"target.mxnet": "1.9.1", "target.env.MXNET_B": "2"},
    )
    assert ASKED.sides("one").values["target"] == {"env": {"MXNET_A": "1"}}


def test_a_version_of_the_scenarios_own_gives_way() -> None:
    values = {**VALUES, "target": {"mxnet": "1.5.0"}}
    asked = replace(ASKED, new=Target(python="/opt/python"), scenarios={"one": values})
    assert asked.sides("one").sides[1].fields == {"target.python": "/opt/python"}
    assert asked.sides("one").values["target"] == {"env": {}}


def test_two_scenarios_of_one_name(tmp_path: Path) -> None:
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "x.yaml").write_text("title: t\nworkload: {model: mlp, steps: 50}\n")
    with pytest.raises(InputError, match="two scenarios are called x"):
        upgrade_scenarios.read([tmp_path / "a" / "x.yaml", tmp_path / "b" / "x.yaml"])


def test_what_is_shipped_can_be_asked_about() -> None:
    names = upgrade_scenarios.read(upgrade_scenarios.shipped())
    assert list(names) == ["dist-sync", "lenet-bfloat16", "lenet", "lstm", "resnet18"]
    assert len(Qualify(replace(ASKED, scenarios=names)).keys) == 18
    assert {path.stem for path in upgrade_scenarios.shipped(horovod=True)} - {*names} == {"horovod"}


def test_ours_that_this_machine_cannot_run_is_told_and_no_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without AVX-512 a version beside itself could not be `go`."""
    monkeypatch.setattr(processor, "flags", lambda: frozenset({"avx2"}))
    paths, left_out = upgrade_scenarios.possible(upgrade_scenarios.shipped())
    assert [path.stem for path in paths] == ["dist-sync", "lenet", "lstm", "resnet18"]
    why = "lenet-bfloat16: amp on a CPU is not possible here: the processor has no avx512bw, avx512dq, avx512vl"
    assert [each.partition(";")[0] for each in left_out] == [why]
    study = Qualify(replace(ASKED, rows=(qualification.DRIFT,), left_out=left_out))
    study.parts = {"drift-one": _drift(*SAME)}
    (row,) = study.rows
    assert row.word == "go" and row.told[0].startswith(f"not asked: {why}")
    asked = study.asked_.as_json()
    assert qualification.Asked.from_json(json.loads(json.dumps(asked))).left_out == left_out
    del asked["left_out"]
    assert qualification.Asked.from_json(asked).left_out == (), "one of before"


def test_a_users_own_that_this_machine_cannot_run_leaves_it_open() -> None:
    study = Qualify(replace(ASKED, rows=(qualification.SPEED,)))
    study.failures = dict.fromkeys(study.keys, "one: amp on a CPU is not possible here")
    (row,) = study.rows
    assert [reason.text for reason in row.reasons] == ["one: amp on a CPU is not possible here"], "once"
    assert row.word == "not decided"


def test_what_differs_and_nothing_uses_decides_nothing() -> None:
    def unused(old: Mapping[str, str], new: Mapping[str, str], **topology: object) -> list[str]:
        targets = {"old": Target(mxnet="1.9.1", **old), "new": Target(mxnet="1.9.1", **new)}  # type: ignore[arg-type]
        scenarios = {"one": {**VALUES, "topology": topology}, "faulty": {**FAULTY, "topology": {"horovod": {}}}}
        return [text.partition(" (")[0] for text in replace(ASKED, scenarios=scenarios, **targets).unused]  # type: ignore[arg-type]

    assert unused({}, {}) == []
    assert unused({"horovod": "0.27.0"}, {"horovod": "0.28.1"}) == ["no scenario trains with Horovod"]
    assert unused({"horovod": "0.27.0"}, {"horovod": "0.28.1"}, horovod={"ranks": 2}) == []
    gpus = ({"cuda": "11", "nccl": "2.13.4"}, {"cuda": "11", "nccl": "2.21.5"})
    assert unused(*gpus) == ["no scenario runs on a GPU"]
    assert unused(*gpus, contexts=["gpu(0)"]) == []


def _speed(*effects: float, meaning: str = "alike", **sizes: float) -> Compare:
    study = Compare(ASKED.sides("one"), qualify.Question("throughput", 0.03, 100.0, beyond=True))
    study.short.found = {NEW: Meaning(meaning, f"they are {meaning}")}  # type: ignore[arg-type]
    for effect in effects:
        every = {**dict.fromkeys(side_reasons.SIZES, 0.0), **sizes}
        scattered = {name: size * (1 + effect / 100) for name, size in every.items()}
        known = {"throughput": effect, "throughput_overall": effect, **scattered}
        first = {"held_memory": 1e9}
        study.evidence.pairs.append(Pair("run", 10.0, {name: {NEW: it} for name, it in known.items()}, first))
    study.evidence.looks.append(Look(len(effects), 0.9))
    return study


SAME = (0.001, -0.002, 0.0, 0.002, -0.001, 0.001)
SLOWER = tuple(each - 0.1 for each in SAME)
SCATTERED = (0.2, -0.2, 0.1, -0.1, 0.3, -0.3)
ABOUT = (0.03, -0.03, 0.02, -0.02, 0.04, -0.04)


@pytest.mark.parametrize(
    ("study", "words"),
    [
        (_speed(*SAME), {"go"}),
        (_speed(*SLOWER), {"no-go"}),
        (_speed(*(each - 0.03 for each in SAME)), {"not decided"}),
        (_speed(*(-each for each in SLOWER)), {"go"}),
        (_speed(*SCATTERED), {"not decided"}),
        (_speed(*SAME, meaning="different"), {"no-go", "go"}),
        (_speed(*SAME, meaning="unknown"), {"not decided", "go"}),
        (_speed(*SAME, peak_memory=0.1), {"no-go", "go"}),
        (_speed(*SAME, peak_memory=0.01), {"go"}),
        (_speed(*SAME, peak_memory=-0.1), {"go"}),
    ],
)
def test_reasons_of_speed(study: Compare, words: set[str]) -> None:
    assert {reason.word for reason in side_reasons.speed(study, "one")} == words


def test_what_rounding_grew_to_is_told_and_is_no_reason() -> None:
    study = _speed(*SAME)
    study.short.found = {NEW: Meaning("alike", "alike as far as rounding lets anybody tell", 0.3, 0.2)}
    assert (NEW + ": alike as far as rounding lets anybody tell", "go") in {
        (reason.text, reason.word) for reason in side_reasons.speed(study, "one")
    }
    study.short.found = {NEW: Meaning("alike", "alike but for rounding", 1e-6)}
    assert not any("rounding" in reason.text for reason in side_reasons.speed(study, "one"))


def _latency(*effects: float, p50: float = 0.0) -> Compare:
    study = Compare(ASKED.sides("one"), qualify.Question("latency_p99", 0.1, 30.0, beyond=True))
    for effect in effects:
        known = {"latency_p50": p50 + effect / 10, "latency_p99": effect}
        study.evidence.pairs.append(Pair("run", 10.0, {name: {NEW: it} for name, it in known.items()}, {}))
    study.evidence.looks.append(Look(len(effects), 0.9))
    return study


@pytest.mark.parametrize(
    ("study", "words"),
    [
        (_latency(*SAME), []),
        (_latency(*SCATTERED), ["go"]),  # what is not known of the worst steps is told, and no reason
        (_latency(*(-each for each in SLOWER)), ["no-go"]),
        (_latency(*(0.15 + each for each in ABOUT)), ["not decided"]),  # longer for sure, and rather by more than 10 %
        (_latency(*(0.09 + each for each in ABOUT)), ["go"]),  # longer for sure, and rather by less
        (_latency(*SAME, p50=0.05), []),
        (_latency(*SAME, p50=0.2), ["no-go"]),
        (_latency(), ["not decided"]),
    ],
)
def test_reasons_of_latency(study: Compare, words: list[str]) -> None:
    assert [each.word for each in side_reasons.latency(study, "one")] == words


def test_what_is_worse_for_sure_is_looked_at_until_it_is_known_by_how_much() -> None:
    made = Qualify(replace(ASKED, scenarios={"one": VALUES}))
    compared = [study for key in made.keys if isinstance(study := made.made(key), Compare)]
    assert [study.question_.beyond for study in compared] == [True] * 3
    budget = made.asked_.budget
    assert [study.question_.limit for study in compared] == [0.0, 4 * budget, 0.0], "of drift, speed and latency"
    about = [each - 0.065 for each in ABOUT]
    known = _speed(*about)
    (finding,) = known.evidence.findings()
    assert finding.mean is not None
    assert finding.mean.high < 0, "slower for sure"
    assert (finding.word, known.over) == ("undecided", False)
    assert (finding.more or 0) > len(about)
    (reason,) = (each for each in side_reasons.speed(known, "one") if each.word != "go")
    assert (reason.word, reason.name) == ("not decided", "speed one")
    assert reason.size == pytest.approx(-math.expm1(finding.mean.low))
    far, near = (accepting(Row("t", (reason,)), {"speed one": Acceptance("known", up_to)}) for up_to in (0.05, 0.5))
    assert (far.word, near.word) == ("not decided", "go")


def test_a_side_that_never_trained_is_a_reason() -> None:
    study = _speed(*SAME)
    study.broken = "new did not train to the end"
    (reason,) = (each for each in side_reasons.speed(study, "one") if each.word != "go")
    assert reason == Reason("new did not train to the end", name="speed one: does not train")


def test_what_the_old_one_never_had_is_told_and_is_no_reason() -> None:
    study = _speed()
    study.failed.told.append("old did not train to the end: refused: RefusedError: amp bfloat16 is not available")
    assert {reason.word for reason in side_reasons.speed(study, "one")} == {"not decided"}
    study.unavailable = study.failed.told[-1]
    (reason,) = (each for each in side_reasons.speed(study, "one") if each.text.startswith("nothing was compared"))
    assert reason.word == "go"


def test_what_is_not_told_of_sizes_is_told() -> None:
    study = _speed(*SAME)
    study.evidence.pairs[:] = [
        replace(pair, effects={name: own for name, own in pair.effects.items() if name != "growth"})
        for pair in study.evidence.pairs
    ]
    for pair, effect in zip(study.evidence.pairs, SCATTERED, strict=True):
        pair.effects["start_up"][NEW] = effect  # type: ignore[index]
    told = [reason.text for reason in side_reasons.speed(study, "one") if reason.word == "go"]
    assert "memory growth, B/1000 steps was not measured" in told
    assert any(text.startswith("new is undecided") and "start up" in text for text in told)


def test_what_it_computes_is_told_of_drift_and_judged_where_speed_is_not_asked() -> None:
    """A loss that is ten times larger was `+0.56 % mean loss`, and no word of it."""
    study = _drift(*SAME)
    study.short.found = {NEW: Meaning("different", "it computes something else")}
    for rows, word in (((qualification.DRIFT,), "no-go"), ((qualification.DRIFT, qualification.SPEED), "go")):
        asked = Qualify(replace(ASKED, rows=rows))
        asked.parts = {"drift-one": study}
        row = asked.rows[0]
        assert row.word == word
        told = [*(reason.text for reason in row.reasons), *row.told]
        assert told.count("one: new: it computes something else") == 1
        assert any("counts as the same, half of what seeds of the old one differ by" in each for each in told)


def test_seeds_that_do_nothing_decide_nothing() -> None:
    study = _drift(*SAME)
    study.broken = comparison.ONE_SEED
    (reason,) = side_reasons.drift(study, "one")
    assert (reason.word, reason.name) == ("not decided", "")


def test_an_operator_that_dies_now_and_then_in_the_new_one_alone_is_not_decided() -> None:
    fickle = Difference("op", "crashes now and then", {"case": "op()"}, "the process ended in 1 of 4 passes")
    study = _operators()
    study.__class__ = type("Known", (Operators,), {"parity": replace(study.parity, fickle=(fickle,))})
    row = operator_reasons.fails(study, "t")
    assert row is not None
    assert (row.word, row.reasons[0].name) == ("not decided", "operator op: crashes now and then")


def test_where_the_old_one_has_nothing_of_it_nothing_is_decided(tmp_path: Path) -> None:
    study = _speed()
    study.failed.told.append("old did not train to the end: refused")
    study.unavailable = study.failed.told[-1]
    latency = _latency()
    (reason,) = side_reasons.latency(latency, "one")
    assert (reason.word, reason.text) == ("not decided", "steps: nothing was compared yet")
    latency.unavailable = study.unavailable
    asked = _with(tmp_path, speed_one=study, latency_one=latency)
    row = next(row for row in asked.rows if row.title == "as fast, as small")
    assert (row.word, row.reasons[0].text.partition(":")[0]) == (
        "not decided",
        "the old one has nothing of what is asked",
    )


def test_what_a_part_saw_before_it_ended_is_a_reason(tmp_path: Path) -> None:
    study = _with(tmp_path)
    study.unfinished["operators"], study.failures["operators"] = _operators(*DIFFERENCES[:1]), "it has no answer"
    row = study.rows[-1]
    assert [reason.word for reason in row.reasons] == ["no-go", "not decided"]
    assert row.word == "no-go"


def _drift(*effects: float, end: float = 0.0, accuracy: float = 0.0, asked: str = "loss_area") -> Compare:
    study = Compare(ASKED.sides("one"), qualify.Question(asked))
    for place, effect in enumerate(effects):
        known = {"loss_area": effect, "drift": end + effect, "accuracy": accuracy + effect / 100}
        own = {"loss_area": 0.3 + place / 100, "drift": 0.1 + place / 100, "accuracy": 0.9 + place / 1000}
        study.evidence.pairs.append(Pair("run", 1.0, {name: {NEW: it} for name, it in known.items()}, own))
    study.evidence.looks.append(Look(len(effects), 0.9))
    return study


@pytest.mark.parametrize(
    ("effects", "word"),
    [
        ((0.0,) * 8, "go"),
        (tuple(1.0 + each for each in SAME), "no-go"),
        (SCATTERED, "not decided"),
    ],
)
def test_reasons_of_drift(effects: tuple[float, ...], word: str) -> None:
    assert next(side_reasons.drift(_drift(*effects), "one")).word == word


@pytest.mark.parametrize(
    ("study", "names"),
    [
        (_drift(*SAME), []),
        (_drift(*SAME, end=1.0), ["final loss one"]),
        (_drift(*SAME, end=-1.0), []),
        (_drift(*SAME, accuracy=-0.2), ["accuracy one"]),
        (_drift(*SAME, accuracy=0.2), []),
        (_drift(*(1.0 + each for each in SAME)), ["drift one", "final loss one"]),
        (_drift(*(1.0 + each for each in SAME), asked="drift"), ["drift one"]),  # as it was stored before
    ],
)
def test_where_training_ends_counts_where_it_is_worse_for_sure(study: Compare, names: list[str]) -> None:
    assert [reason.name for reason in side_reasons.drift(study, "one") if reason.word == "no-go"] == names


def _operators(*differences: Difference, gone: tuple[str, ...] = ()) -> Operators:
    study = Operators(ASKED.old, ASKED.new)
    parity = Parity(differences, (), ("x",), 100, 10, ("y", "z"), gone, ())
    study.__class__ = type("Known", (Operators,), {"parity": parity})
    return study


DIFFERENCES = tuple(Difference("op", kind, {"case": "op()"}, "how") for kind in ("crashes", "refuses", "is not finite"))


def test_what_fails_has_a_row_of_its_own() -> None:
    study = _operators(*DIFFERENCES, gone=("old_op",))
    means, fails = (row(study, "t") for row in (operator_reasons.means, operator_reasons.fails))
    assert means is not None and fails is not None
    assert [reason.name for reason in means.reasons] == ["operator old_op: is gone", "operator op: refuses"]
    assert [reason.name for reason in fails.reasons] == ["operator op: crashes", "operator op: is not finite"]
    assert means.told[1:] == (
        "no call was found of 2 operators",
        "cases of 1 operators do not repeat themselves",
    )


def test_what_takes_longer_speaks_against_speed_only(tmp_path: Path) -> None:
    known = _operators(Difference("op", "takes longer", {"case": "op()"}, "1.30 times as long", size=0.3))
    known.folder = study_folder.create(tmp_path, "operators", known.question)
    study = _with(tmp_path, operators=known, speed_one=_speed(*SAME), latency_one=_latency(*SAME))
    means, speed, fails = study.rows
    assert (means.word, speed.word, fails.word) == ("go", "no-go", "go")
    assert [reason.name for reason in speed.reasons if reason.word == "no-go"] == ["operator op: takes longer"]
    assert study.folder is not None
    accepted.keep({"operators that take longer": Acceptance("calls as such", 0.2)}, study.folder)
    assert study.rows[1].word == "no-go"
    accepted.keep({"operators that take longer": Acceptance("calls as such", 0.3)}, study.folder)
    assert [row.word for row in study.rows] == ["go", "go", "go"]
    assert "accepted, and not seen" not in str([row.told for row in study.rows])


def test_rows_that_have_nothing_to_ask_are_not_decided() -> None:
    study = Qualify(replace(ASKED, scenarios={"pause": FAULTY}, rows=("drift",)))
    assert study.keys == []
    assert study.word == "not decided"


def test_cases_that_the_new_one_was_never_asked_are_not_decided() -> None:
    study = Operators(ASKED.old, ASKED.new)
    study.__class__ = type("Known", (Operators,), {"parity": Parity((), (), (), 9, 1, (), (), (), ("exp",))})
    row = operator_reasons.means(study, "t")
    assert row is not None
    assert (row.word, row.reasons[0].name) == ("not decided", "operator exp: not all asked")


def test_operators_of_which_no_case_was_compared_are_not_decided() -> None:
    study = Operators(ASKED.old, ASKED.new)
    study.__class__ = type("Known", (Operators,), {"parity": Parity((), (), (), 0, 0, ("exp",), (), ())})
    row = operator_reasons.means(study, "t")
    assert row is not None and row.word == "not decided"


def _with(tmp_path: Path, **parts: Study) -> Qualify:
    study = Qualify(replace(ASKED, rows=("operators", "speed")))
    study.folder = study_folder.create(tmp_path, "qualify", study.question)
    study.parts = {name.replace("_", "-"): part for name, part in parts.items()}
    return study


def test_rows_and_the_word_of_all(tmp_path: Path) -> None:
    study = _with(tmp_path, operators=_operators())
    assert [(row.title, row.word) for row in study.rows] == [
        ("means the same", "go"), ("as fast, as small", "not decided"), ("NaN, hang, crash", "go"),
    ]  # fmt: skip
    assert study.word == "not decided"
    study = _with(tmp_path, operators=_operators(), speed_one=_speed(*SAME), latency_one=_latency(*SAME))
    assert study.word == "go"
    assert study.in_words.startswith("mxnet 1.8.0.post0 to mxnet 1.9.1: go; means the same: go, ")


def test_what_is_accepted_does_not_count_and_what_was_not_seen_is_told(tmp_path: Path) -> None:
    parts = {"speed_one": _speed(*SAME), "latency_one": _latency(*SAME)}
    study = _with(tmp_path, operators=_operators(*DIFFERENCES), **parts)
    assert study.word == "no-go"
    assert study.folder is not None
    names = {f"operator op: {each.kind}": Acceptance("known") for each in DIFFERENCES}
    accepted.keep({**names, "operator old: refuses": Acceptance("gone")}, study.folder)
    assert study.word == "go"
    assert study.rows[-1].told[-1] == "accepted, and not seen: operator old: refuses"


def test_a_part_that_failed_is_told_and_not_tried_for_ever(tmp_path: Path) -> None:
    study = _with(tmp_path, operators=_operators())
    for key in ("speed-one", "latency-one"):
        assert study.add(key, None, "no such machine") == f"{key}: no such machine"
    assert study.wanted() == []
    assert study.rows[1].reasons == (Reason("one: no such machine", "not decided"),)
    with pytest.raises(LookupError):
        study.add("speed-two", None, "")


def test_parts_are_found_again(tmp_path: Path) -> None:
    study = _with(tmp_path)
    assert study.folder is not None
    _, first = study._opened("speed-one", study.folder)
    again, second = study._opened("speed-one", study.folder)
    assert first == second
    assert isinstance(again, Compare)
    assert study.folder.parts() == [first.id]
    whole = study_folder.whole_of(tmp_path, first.id)
    assert whole is not None and whole.id == study.folder.id
    assert study_folder.whole_of(tmp_path, study.folder.id) is None


def test_losses_that_are_far_lower_are_not_the_same() -> None:
    """As of a loss that is a mean now, and was a sum."""
    study = _drift(*(each - 1.0 for each in SAME), accuracy=0.01)
    told = [each for each in side_reasons.drift(study, "one") if each.word != "go"]
    assert [(each.word, each.name) for each in told] == [("not decided", "drift one: better")]
    assert told[0].text.endswith("it trains otherwise; look why, and accept it by name")


def test_pairs_without_a_number_hide_no_memory() -> None:
    """Of six pairs five have half as much again, and one has no number."""
    study = _speed(*SAME, peak_memory=0.4)
    effects = dict(study.evidence.pairs[2].effects)
    del effects["peak_memory"]
    study.evidence.pairs[2] = replace(study.evidence.pairs[2], effects=effects)
    (reason,) = [each for each in side_reasons.speed(study, "one") if "peak memory" in each.text]
    assert (reason.word, reason.name) == ("not decided", "peak_memory one")


def test_steps_that_were_never_timed_are_not_decided() -> None:
    study = _latency(*SAME)
    study.evidence.pairs[:] = [replace(pair, effects={}) for pair in study.evidence.pairs]
    assert [each.word for each in side_reasons.latency(study, "one")] == ["go", "go", "not decided"]


def test_what_is_not_known_of_meaning_is_accepted_by_another_name() -> None:
    names = [
        next(each.name for each in side_reasons.speed(_speed(*SAME, meaning=word), "one") if each.name)
        for word in ("unknown", "different")
    ]
    assert names == ["meaning one: not known", "meaning one"]


def test_cases_that_have_no_row_are_named() -> None:
    study = _operators()
    study.__class__ = type("Known", (Operators,), {"parity": Parity((), (), (), 9, 1, (), (), (), untold=("op",))})
    row = operator_reasons.means(study, "t")
    assert row is not None and row.word == "go"
    assert row.told[-1].endswith("as of memory that nobody wrote: op")
