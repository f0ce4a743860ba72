"""Sides of a scenario, and the runs that they make together."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest
import yaml

from harness.base.errors import HarnessError
from harness.studies import sides
from harness.studies.compare import Compare
from harness.studies.evidence import Evidence
from harness.studies.finding import Question
from harness.studies.sides import Side, Sides

TEXT = """\
title: How fast?
seed: 3
repeat: 4
target: {mxnet: 1.9.1}
workload: {model: mlp, batch_size: 32, steps: 100, warmup: 20}
variants:
  plain: {}
  large: {workload.batch_size: 64}
expect: {throughput: {versus: plain, at_least: 10%}}
"""


def _read(tmp_path: Path, *asked: list[str]) -> Sides:
    path = tmp_path / "question.yaml"
    path.write_text(TEXT)
    return sides.read(path, [], dict(zip("abcdefgh", asked, strict=False)))


def test_a_side_is_any_set_of_changes_or_a_variant(tmp_path: Path) -> None:
    found = _read(tmp_path, [], ["large", "target.env.X=1"], ["target.python=/bin/true"])
    assert [side.fields for side in found.sides] == [
        {},
        {"workload.batch_size": 64, "target.env.X": 1},
        {"target.python": "/bin/true"},
    ]
    assert [side.label for side in found.sides] == [
        "as it is",
        "workload.batch_size=64, target.env.X=1",
        "target.python=/bin/true",
    ]


def test_a_pair_takes_turns_with_the_seed_of_its_number(tmp_path: Path) -> None:
    text = _read(tmp_path, [], ["large"]).duet(2, turn=5, turns=20, warmup=3, workload={"phases": True}, quick=True)
    loaded = sides.checked(text, "question")
    assert (loaded.scenario.turns, loaded.scenario.seed, loaded.scenario.repeats) == (5, 5, 1)
    assert loaded.scenario.quick_start
    workload = loaded.variants["large"].workload
    assert (workload.steps, workload.warmup, workload.window) == (115, 15, 5)
    assert (workload.batch_size, workload.phases) == (64, True)
    assert "expect" not in yaml.safe_load(text)


def test_which_side_is_started_first_is_drawn_for_every_pair(tmp_path: Path) -> None:
    """Not by turns: who starts gets the memory that was given back last, which would be the same in all pairs."""
    found = _read(tmp_path, [], ["large"])
    orders = [list(sides.checked(found.apart(number, {}, False), "q").variants) for number in range(40)]
    assert orders == [list(sides.checked(found.apart(number, {}, False), "q").variants) for number in range(40)]
    firsts = [order[0] for order in orders]
    assert 10 < firsts.count("a") < 30
    changes = sum(one != other for one, other in itertools.pairwise(firsts))
    assert 10 < changes < 30


def test_meaning_runs_the_first_side_twice(tmp_path: Path) -> None:
    loaded = sides.checked(_read(tmp_path, [], ["large"]).meaning(24), "q")
    assert list(loaded.variants) == ["a", "again", "large"]
    assert loaded.variants["a"] == loaded.variants["again"]
    workload = loaded.variants["large"].workload
    assert (workload.steps, workload.digest_every, loaded.scenario.turns) == (24, 1, None)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("nothing", "'nothing' is neither FIELD=VALUE nor a variant of the scenario; its variants are plain, large"),
        ("workload.batch_size=many", "--b workload.batch_size=many: workload.batch_size: 'many' is not allowed"),
        ("workload.steps=5", "workload.steps is the same for all sides; give it with --set"),
        ("title=x", "title cannot differ between sides; what can are workload, topology, faults, target and their"),
        ("MXNET_X=0", "MXNET_X cannot differ between sides; did you mean target.env.MXNET_X?"),
        ("workload.btch_size=3", "--b workload.btch_size=3: workload.btch_size: unknown key; did you mean batch_size?"),
        ("=3", "--b =3: write a path, an equals sign and a value, as in workload.steps=50"),
        ("workload.batchsize=5", "workload.batchsize: unknown key; did you mean batch_size?"),
        ("topology={kvstore: dist_sinc}", "'dist_sinc' is not allowed"),
    ],
)
def test_what_cannot_be_run_is_refused(tmp_path: Path, change: str, message: str) -> None:
    with pytest.raises(HarnessError, match=message.replace("(", r"\(")):
        _read(tmp_path, [], [change])


def test_what_is_wrong_is_told_of_the_option_that_gave_it(tmp_path: Path) -> None:
    path = tmp_path / "question.yaml"
    path.write_text(TEXT)
    asked = {"a": [], "b": ["workload.batch_size=many"]}
    with pytest.raises(HarnessError, match=r"--b workload.batch_size=many: ") as told:
        sides.read(path, [("workload.batch_size", 8)], asked)
    assert "--set" not in str(told.value)
    with pytest.raises(HarnessError, match=r"--set workload.batch_size=some: "):
        sides.read(path, [("workload.batch_size", "some")], asked)


def test_faults_keep_sides_from_taking_turns() -> None:
    assert not Sides("q", {"title": "t"}, (Side("a", {}), Side("b", {"seed": 1}))).has_faults
    assert Sides("q", {"faults": [{"kill": {}}]}, ()).has_faults
    assert Sides("q", {}, (Side("a", {}), Side("b", {"faults": []}))).has_faults


def test_meaning_leaves_faults_out() -> None:
    slow = {"slow": {"select": {"role": "worker"}, "at": {"step": 40}, "for": {"steps": 20}, "factor": 3}}
    values = {"title": "t", "workload": {"model": "mlp", "steps": 100}, "faults": [slow]}
    found = Sides("q", values, (Side("a", {}), Side("b", {"faults.0.slow.factor": 5})))
    loaded = sides.checked(found.meaning(24), "q")
    assert [arm.faults for arm in loaded.variants.values()] == [[], [], []]
    assert [len(arm.faults) for arm in sides.checked(found.apart(0, {}, False), "q").variants.values()] == [1, 1]


def test_what_is_decided_for_all_sides_no_map_brings_in(tmp_path: Path) -> None:
    for field in ("workload.steps=20", "workload={model: mlp, steps: 20}", "workload.held_back=9"):
        with pytest.raises(HarnessError, match="the same for all sides"):
            _read(tmp_path, [], [field])


def test_a_python_has_its_own_mxnet(tmp_path: Path) -> None:
    with pytest.raises(HarnessError, match=r"side b: .*not both: that python has its own mxnet"):
        _read(tmp_path, [], ["target.mxnet=1.9.1", "target.python=/bin/true"])


def test_links_are_those_of_the_scenario_or_of_a_side() -> None:
    values = {"workload": {"model": "mlp"}, "topology": {"kvstore": "dist_sync"}}
    assert not Sides("q", values, (Side("a", {}),)).has_network
    assert Sides("q", {**values, "topology": {"network": {}}}, (Side("a", {}),)).has_network
    assert Sides("q", values, (Side("a", {"topology.network": {}}),)).has_network
    assert Sides("q", values, (Side("a", {"topology": {"network": {}}}),)).has_network


def test_sides_that_are_variants_have_their_names(tmp_path: Path) -> None:
    def names(*asked: list[str]) -> list[str]:
        return [side.name for side in _read(tmp_path, *asked).sides]

    assert names(["plain"], ["large"]) == ["plain", "large"]
    assert names([], ["large"]) == ["a", "large"]
    assert names([], ["large", "target.env.X=1"]) == ["a", "b"]
    assert names(["plain"], ["plain"]) == ["a", "b"]


def test_of_a_file_with_batches_of_its_own_none_are_held_back(tmp_path: Path) -> None:
    """Final losses drift all the same."""
    (tmp_path / "net.py").write_text("def build():\n    ...\n\ndef batches(seed, step):\n    ...\n")
    for model, expected in ((f"{tmp_path / 'net.py'}:build", None), ("mlp", 297)):
        both = Sides("q", {"title": "t", "workload": {"model": model, "steps": 50}}, (Side("a", {}), Side("b", {})))
        workload = yaml.safe_load(both.apart(0, {"held_back": 297}, False))["workload"]
        assert workload.get("held_back") == expected


@pytest.mark.parametrize(
    ("own", "expected"), [({}, 297), ({"samples": 600}, 297), ({"samples": 64}, 16), ({"held_back": 100}, 100)]
)
def test_no_more_is_held_back_than_there_is_and_what_somebody_says(own: dict[str, int], expected: int) -> None:
    values = {"title": "t", "workload": {"model": "mlp", "steps": 50, "dataset": "synthetic", **own}}
    both = Sides("q", values, (Side("a", {}), Side("b", {})))
    text = both.apart(0, {"held_back": 297}, False)
    assert yaml.safe_load(text)["workload"]["held_back"] == expected
    sides.checked(text, "q")
    assert both.apart(0, {}, False).count("held_back") == ("held_back" in own)
    margin = Evidence(both, Question("accuracy")).finest("accuracy")
    assert margin == pytest.approx(1 / expected)


def test_checkpoints_are_of_the_scenario_or_of_a_side() -> None:
    values = {"title": "t", "workload": {"model": "mlp", "steps": 50}}
    kept = {"every": 10, "keep": 2}
    saving = {"title": "t", "workload": {**values["workload"], "checkpoint": kept}}
    assert not Sides("q", values, (Side("a", {}), Side("b", {}))).has_checkpoints
    assert Sides("q", saving, (Side("a", {}), Side("b", {}))).has_checkpoints
    assert Sides("q", values, (Side("a", {}), Side("b", {"workload": saving["workload"]}))).has_checkpoints
    both = Sides("q", values, (Side("a", {}), Side("b", {"workload.checkpoint": kept})))
    assert both.has_checkpoints
    assert "turns: " not in Compare(both, Question()).pair(0), "sides run one after the other"


def _rounded(workload: dict[str, object], *fields: dict[str, object]) -> dict[str, tuple[float, dict[str, str]]]:
    found = Sides("q", {"title": "t", "workload": workload}, tuple(map(Side, "ab", fields))).rounded(24)
    arms = sides.checked(found, "q").arms if found is not None else {}
    return {name: (arm.workload.optimizer.learning_rate, dict(arm.target.env)) for name, arm in arms.items()}


PLAIN = {"MXNET_MKLDNN_ENABLED": "0", "MXNET_ONEDNN_ENABLED": "0"}


def test_other_rounding_is_longer_and_shorter_steps_and_sums_in_another_order() -> None:
    mlp: dict[str, object] = {"model": "mlp", "steps": 50, "optimizer": {"learning_rate": 0.5}}
    assert _rounded(mlp, {}, {"target.mxnet": "1.8.0.post0"}) == {
        "rounded-1": (0.500005, {}),
        "rounded-2": (0.499995, {}),
        "rounded-3": (0.5, PLAIN),
        "rounded-4": (0.500005, PLAIN),
    }
    of_the_side = _rounded(mlp, {"workload.optimizer.learning_rate": 0.25, "target.env.X": "1"}, {})
    assert of_the_side["rounded-4"] == (0.2500025, {"X": "1", **PLAIN})


def test_rounding_is_that_of_the_type_that_amp_has() -> None:
    lenet: dict[str, object] = {"model": "lenet", "steps": 50, "amp": "bfloat16", "optimizer": {"learning_rate": 1.28}}
    found = _rounded(lenet, {}, {"target.mxnet": "1.8.0.post0"})
    assert [round(rate, 7) for rate, _ in found.values()] == [1.2800128, 1.2799872, 1.29, 1.28, 1.2800128]
    assert [env for _, env in found.values()] == [{}, {}, {}, PLAIN, PLAIN]
    found = _rounded(lenet, {}, {"workload.optimizer.learning_rate": 1.29})
    assert [round(rate, 7) for rate, _ in found.values()] == [1.2800128, 1.2799872, 1.28, 1.2800128]


def test_what_is_asked_about_rounds_nothing() -> None:
    found = _rounded({"model": "mlp", "steps": 50}, {}, {"target.env.MXNET_SUBGRAPH_BACKEND": "NONE"})
    assert {name: (round(rate, 9), env) for name, (rate, env) in found.items()} == {
        "rounded-1": (0.0100001, {}),
        "rounded-2": (0.0099999, {}),
    }


def test_the_first_side_is_without_its_faults() -> None:
    late = {"kill": {"select": {"role": "worker"}, "at": {"step": 40}}}
    values = {"title": "t", "workload": {"model": "mlp", "steps": 100}}
    text = Sides("q", values, (Side("a", {"faults": [late]}), Side("b", {}))).rounded(24)
    assert text is not None
    assert not any(arm.faults for arm in sides.checked(text, "q").arms.values())


def test_a_script_has_its_own_steps(tmp_path: Path) -> None:
    script = tmp_path / "train.py"
    script.write_text("import mxnet\n")
    found = Sides("q", {"title": "t", "workload": {"script": str(script), "steps": 50}}, (Side("a", {}), Side("b", {})))
    text = found.rounded(24)
    assert text is not None
    arms = sides.checked(text, "q").arms
    assert {name: dict(arm.target.env) for name, arm in arms.items()} == {"again": {}, "rounded-1": PLAIN}
    assert (
        Sides("q", found.values, (Side("a", {}), Side("b", {"target.env.MXNET_ONEDNN_ENABLED": 0}))).rounded(24) is None
    )
