"""Bad input: one clear error with its place; and all shipped scenarios are good."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.errors import ScenarioError
from harness.scenario.load import load
from tests.conftest import ROOT

GOOD = """\
title: a question
seed: 7
workload:
  model: resnet18
  steps: 60
  shapes: {distribution: uniform, min: 6, max: 9}
  amp: bfloat16
topology: {kvstore: dist_sync, workers: 2}
faults:
  - slow: {select: {role: worker, rank: 1}, at: {step: 20}, for: {steps: 20}, factor: 3}
expect:
  throughput: {versus: control, at_least: 30%}
"""


def _error(tmp_path: Path, text: str) -> str:
    path = tmp_path / "s.yaml"
    path.write_text(text)
    with pytest.raises(ScenarioError) as caught:
        load(path)
    return str(caught.value).replace(f"{path}:", "")


def test_a_good_one(tmp_path: Path) -> None:
    path = tmp_path / "good.yaml"
    path.write_text(GOOD)
    loaded = load(path)
    assert (loaded.name, loaded.text) == ("good", GOOD)
    assert loaded.scenario.workload.amp is not None
    assert loaded.scenario.stall_timeout == 30.0


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ("steps: 60", "stepz: 60", "3:1: workload.steps: is missing\n5:3: workload.stepz: unknown key; did you mean steps?"),
        ("seed: 7", "colour: red", "2:1: colour: unknown key; allowed are claims, expect, faults"),
        ("steps: 60", "steps: -60", "5:3: workload.steps: -60 is not allowed: input should be greater than or equal to 1"),
        ("steps: 60", "steps: many", "5:3: workload.steps: 'many' is not allowed: input should be a valid integer"),
        ("steps: 60", "steps: 10", "workload.warmup: 10 steps of warm-up leave nothing of 10 steps"),
        ("resnet18", "resnet19", "4:3: workload.model: 'resnet19' is not a model; allowed are lenet, lstm, mlp, resnet18 and"),
        ("resnet18", "mlp", "6:3: workload.shapes: mlp takes one size only; use distribution: fixed"),
        ("uniform", "unifrm", "6:3: workload.shapes: 'unifrm' is not known; allowed are 'choice', 'fixed', 'lognormal'"),
        ("min: 6, ", "", "6:3: workload.shapes.min: is missing"),
        ("min: 6", "min: 60", "min 60 is above max 9"),
        ("bfloat16", "float16", "7:3: workload.amp: 'float16' is not allowed: input should be 'bfloat16'"),
        ("workers: 2", "workers: 0", "8:32: topology.workers: 0 is not allowed: input should be greater than or equal to 1"),
        ("dist_sync, ", "none, ", "8:27: topology.workers: 2 workers need a kvstore"),
        ("rank: 1", "rank: 5", "10:35: faults.0.slow.select.rank: worker 5 does not exist; there are worker/0, worker/1"),
        (", rank: 1", "", "10:12: faults.0.slow.select: say which: rank 0 to 1"),
        ("slow:", "slo:", "10:5: faults.0.slo: unknown key; did you mean slow?"),
        ("step: 20", "step: 60", "10:50: faults.0.slow.at.step: step 60 is after the last step, 59"),
        ("steps: 20", "steps: 41", "41 steps from step 20 go beyond the last step, 59"),
        ("{step: 20}", "{step: -1}", "faults.0.slow.at.step: -1 is not allowed"),
        ("{step: 20}", "{}", "faults.0.slow.at: give one of step, time"),
        ("{steps: 20}", "{time: 3 parsecs}", "'3 parsecs' has the unit 'parsecs'; allowed are us, ms, s, min, h"),
        ("{steps: 20}", "{time: 3}", "3 is not a duration; write a number and a unit"),
        ("factor: 3", "factor: .inf", "faults.0.slow.factor: inf is not allowed"),
        ("30%", "30", "12:33: expect.throughput.at_least: 30 is not a percentage"),
        ("control", "contral", "12:16: expect.throughput.versus: 'contral' is not run; allowed are control; did you mean control?"),
        ("title: a question", "title: ''", "1:1: title: '' is not allowed: string should have at least 1 character"),
        ("seed: 7", "target: {mxnet: 1.9}", "2:10: target.mxnet: 1.9 is not allowed: input should be a valid string"),
        ("seed: 7", "target: {mxnet: 1.9.1, python: x}", "give either mxnet, to install it, or python"),
        ("seed: 7", "variants: {only: {}}", "2:1: variants: one variant has nothing to be compared with"),
        ("seed: 7", "variants: {control: {}, b: {}}", "control is the run without faults; choose another name"),
        ("seed: 7", "- seed: 7", "not YAML"),
    ],
)  # fmt: skip
def test_bad_input(tmp_path: Path, before: str, after: str, message: str) -> None:
    assert before in GOOD
    assert message in _error(tmp_path, GOOD.replace(before, after, 1))


@pytest.mark.parametrize("text", ["just words", "3", "- a\n- b\n", "null"])
def test_a_scenario_is_a_map(tmp_path: Path, text: str) -> None:
    assert "is not allowed: a map of fields is needed" in _error(tmp_path, text)


def test_a_mistake_in_a_variant_is_placed_there(tmp_path: Path) -> None:
    text = GOOD.replace("seed: 7", "variants: {a: {}, b: {workload.stepz: 3}}").replace("control", "a")
    assert _error(tmp_path, text) == "2:19: workload.stepz: unknown key; did you mean steps?"


def test_variants_get_their_fields(tmp_path: Path) -> None:
    path = tmp_path / "s.yaml"
    text = GOOD.replace("seed: 7", "variants: {a: {}, b: {workload.batch_size: 4}}").replace("control", "a")
    path.write_text(text)
    assert {name: one.workload.batch_size for name, one in load(path).variants.items()} == {"a": 32, "b": 4}


def test_a_field_set_on_the_command_line_is_checked_like_the_others(tmp_path: Path) -> None:
    path = tmp_path / "s.yaml"
    path.write_text(GOOD)
    with pytest.raises(
        ScenarioError, match=r"--set workload\.stepz=3: workload\.stepz: unknown key; did you mean steps\?"
    ):
        load(path, [("workload.stepz", 3)])
    assert load(path, [("workload.steps", 70)]).scenario.workload.steps == 70


SHIPPED = sorted((ROOT / "scenarios").rglob("*.yaml"))


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_shipped_scenarios_are_good_and_ask_a_question(path: Path) -> None:
    assert load(path).scenario.title.endswith("?")
    assert path.read_text().startswith("# yaml-language-server: $schema=../schema.json\n")
