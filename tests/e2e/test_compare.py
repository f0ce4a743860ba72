"""Comparisons as a user makes them."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

from harness.execution import run
from harness.storage import history, run_folder
from harness.vocabulary.events import Window
from tests.e2e.conftest import Command, harness

pytestmark = pytest.mark.e2e

TEXT = """\
title: How fast does the mlp train?
seed: 3
workload: {model: mlp, batch_size: 32, steps: 100, warmup: 20}
"""


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("results")


@pytest.fixture(scope="module")
def question(results: Path, target: Path) -> Path:
    path = results / "question.yaml"
    path.write_text(TEXT)
    return path


@pytest.fixture(scope="module")
def slower(results: Path, question: Path) -> Command:
    """A side that takes twice as long, which any machine sees, in few pairs."""
    change = ("--b", "workload.burden=1.0", "--resolve", "20%", "--budget", "1min")
    return harness("compare", question, *change, "--json", "--results", results)


def test_a_planted_slowness_is_found_and_told_to_scripts(slower: Command) -> None:
    assert slower.out, slower.err
    body = slower.json
    (answer,) = body["answers"]
    assert (body["schema"], answer["answer"], slower.code) == ("harness/compare/1", "slower", 1)
    assert -1.0 < answer["estimate"] < -0.4  # log(1/2) is -0.69
    assert body["meaning"]["b"]["word"] == "identical"
    assert body["duet"]


def test_sides_take_turns_and_nobody_trains_in_anothers_turn(slower: Command, results: Path) -> None:
    folder = run_folder.find(results, slower.json["pairs"][-1]["run"])
    windows = [event for event in history.read(folder.path / "history.jsonl") if isinstance(event, Window)]
    times = sorted((window.t - window.seconds, window.t, window.arm) for window in windows)
    assert {arm for _, _, arm in times} == {"a", "b"}
    assert all(begin >= end for (_, end, _), (begin, _, _) in itertools.pairwise(times))
    rounds = [{arm for _, _, arm in times[at : at + 2]} for at in range(0, len(times), 2)]
    assert all(arms == {"a", "b"} for arms in rounds)
    assert len({tuple(arm for _, _, arm in times[at : at + 2]) for at in range(0, len(times), 2)}) == 2


def test_a_pair_is_a_run_like_any_other(slower: Command, results: Path) -> None:
    one = slower.json["pairs"][-1]["run"]
    verdict = run.judged(run_folder.find(results, one))
    assert verdict.verdict == "pass"
    assert verdict.arm("a").get("throughput").n >= 20
    assert verdict.arm("a").get("training_time").note == "time of other arms' turns would be in it"
    assert "disturbance" in verdict.facts
    shown = harness("show", one, "--timeline", "--results", results)
    assert "b: completed" in shown.out
    assert f"one run of the study {slower.json['study']}; harness report {slower.json['study']} --results" in shown.err


def test_it_is_shown_and_drawn_again(slower: Command, results: Path) -> None:
    picture = results / "compared.svg"
    again = harness("compare", "--resume", slower.json["study"], "--results", results, "--picture", picture)
    assert again.code == 1
    assert "b is slower: -" in again.out
    assert "the same numbers, bit by bit" in again.out
    assert "workload.burden=1.0" in picture.read_text()
    listed = harness("studies", "--results", results)
    assert "compare" in listed.out
    assert "b is slower" in listed.out


def test_a_side_that_computes_something_else_is_told_first(question: Path, results: Path) -> None:
    change = ("--b", "workload.optimizer.learning_rate=0.02", "--budget", "1s")
    told = harness("compare", question, *change, "--results", results)
    assert told.code == 1
    assert told.out.startswith("ANOTHER MEANING: b: it computes something else: first ")


def test_drift_is_a_matter_of_seeds(question: Path, results: Path) -> None:
    change = ("--b", "workload.optimizer.learning_rate=0.0001", "--measure", "drift", "--seeds", 6)
    told = harness("compare", question, *change, "--json", "--results", results)
    assert told.code == 1, told.err
    body = told.json
    (answer,) = body["answers"]
    assert (answer["answer"], answer["n"]) == ("worse", 6)
    assert {"drift", "loss_half_way", "loss_area", "accuracy"} <= set(body["pairs"][0]["effects"])
    assert len({pair["first"]["drift"] for pair in body["pairs"]}) == 6


def test_two_versions_side_by_side(question: Path, results: Path) -> None:
    change = ("--b", "target.mxnet=1.8.0.post0", "--budget", "1s", "--json")
    told = harness("compare", question, *change, "--results", results / "versions")
    assert told.out, told.err
    assert told.json["broken"] == ""
    assert told.json["meaning"]["b"]["word"] in ("identical", "alike")
    facts = run.judged(run_folder.find(results / "versions", "last")).facts
    assert facts["targets"]["b"]["mxnet"].startswith("1.8")
    assert facts["targets"]["a"]["mxnet"] == "1.9.1"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "give a scenario to compare sides of"),
        (("question",), "one side has nothing to be compared with"),
        (("question", "--b", "workload.batch_size=0"), "workload.batch_size: 0 is not allowed"),
        (("question", "--b", "x=1", "--measure", "speed"), "'speed' is not a measure; there are throughput"),
        (("question", "--b", "x=1", "--budget", "5"), "'5' is not a duration"),
        (("question", "--b", "target.env.X=1", "--picture", "x.gif"), "x.gif does not end in .svg or .png"),
        (("question", "--resume", "last"), "--resume goes on with what was asked; leave the path out"),
    ],
)
def test_what_cannot_be_asked(question: Path, results: Path, arguments: tuple[str, ...], message: str) -> None:
    told = harness("compare", *(question if word == "question" else word for word in arguments), "--results", results)
    assert told.code == 2
    assert message in told.err
    assert "Traceback" not in told.err


def test_rounding_that_grows_is_told_from_another_meaning(results: Path, question: Path) -> None:
    """With steps so long a millionth more of them is half of the loss later; another momentum shows at once."""
    long = ("--set", "workload.optimizer={learning_rate: 1.0, momentum: 0.9}")
    sides = ("--b", "workload.optimizer.learning_rate=1.000001", "--c", "workload.optimizer.momentum=0.8")
    done = harness("compare", question, *long, *sides, "--budget", "1s", "--json", "--results", results)
    assert done.out, done.err
    told = done.json["meaning"]
    assert told["b"]["sentence"].startswith("alike as far as rounding lets anybody tell: "), told
    assert told["c"]["word"] == "different"
