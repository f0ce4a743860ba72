"""Operators of real MXNet, swept; a version beside itself differs in nothing."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from harness.execution import operator_process, sweep, sweep_lines
from harness.execution.operator_times import read_times
from harness.report.operators import script
from harness.studies.parity import Difference
from harness.studies.unlike import array
from harness.targets.interpreter import Interpreter
from tests.e2e.conftest import harness

pytestmark = pytest.mark.e2e
SAME = ("--from", "mxnet=1.9.1", "--to", "mxnet=1.9.1")
OPERATORS = ("exp", "elemwise_div", "FullyConnected", "Dropout", "topk", "Activation")
SWEPT = ("FullyConnected", "exp")
PROGRAMS = (
    "gluon.nn.Dense", "gluon.rnn.LSTM", "gluon.rnn.GRUCell", "gluon.loss.L2Loss", "optimizer.SGD", "init.Xavier",
    "metric.Accuracy", "lr_scheduler.FactorScheduler", "nd.random.uniform", "io.NDArrayIter", "nd.save",
    "gluon.data.vision.transforms.ToTensor", "io.CSVIter", "io.ImageRecordIter", "files.gluon.Trainer.save_states.adam",
)  # fmt: skip


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory, target: Path) -> Path:
    folder = tmp_path_factory.mktemp("operators")
    only = [word for name in (*OPERATORS, *PROGRAMS) for word in ("--only", name)]
    command = harness("operators", *SAME, *only, "--json", "--results", folder)
    assert command.code == 0, command.out + command.err
    (folder / "said.json").write_text(command.out)
    return folder


def test_a_version_beside_itself_differs_in_nothing(results: Path) -> None:
    said = json.loads((results / "said.json").read_text())
    assert (said["differences"], said["better"], said["gone"], said["new"]) == ([], [], [], [])
    every = {*OPERATORS, *PROGRAMS}  # an LSTM, say, does not always repeat itself, in any of its cases
    assert len(every - {*said["unstable"]}) <= said["operators"] <= len(every)
    assert len(said["unstable"]) < 4
    (file,) = results.glob("studies/*/files.jsonl")
    read = [(line["by"], line["old"]["status"], line["new"]["status"]) for line in sweep_lines.read(file)]
    assert read == [("from", "ok", "ok"), ("to", "ok", "ok")]
    assert said["compared"] > 100


def test_a_crash_costs_its_case_only(results: Path) -> None:
    """Whole numbers divided by zero end the process, in 1.9.1 too; the cases after it are there."""
    (file,) = results.glob("studies/*/from.jsonl")
    division = {
        line["case"]: line for line in sweep_lines.read(file) if line.get("op") == "elemwise_div" and "case" in line
    }
    crashed = [case for case, line in division.items() if line["status"] == "crashed"]
    assert crashed
    assert division[next(case for case in division if case.endswith(" large"))]["status"] == "ok"


def test_each_is_called_on_naive_engine_and_what_has_code_for_onednn_without_it(results: Path) -> None:
    (folder,) = results.glob("studies/*")
    called = {
        way: {line["op"] for line in sweep_lines.read(folder / f"from-{way}.jsonl") if "case" in line}
        for way in ("naive", "plain")
    }
    assert called["naive"] == {*OPERATORS, *PROGRAMS}
    assert called["plain"] == {"FullyConnected", "Activation", "gluon.nn.Dense", "gluon.rnn.LSTM", "gluon.rnn.GRUCell"}


def test_what_a_way_sets_is_told_where_it_matters(results: Path) -> None:
    """Of NaN the relu of oneDNN makes 0, in 1.9.1 (docs/operators.md)."""
    said = json.loads((results / "said.json").read_text())
    assert "Activation otherwise without oneDNN" in said["otherwise"]


@pytest.mark.parametrize(
    ("variable", "op", "kind"),
    [
        ("MXNET_MKLDNN_ENABLED=0", "Activation", "is not finite"),
        ("MXNET_ENGINE_TYPE=NaiveEngine", "linalg_det", "crashes"),
    ],
)
def test_a_way_that_is_asked_about_is_told(target: Path, tmp_path: Path, variable: str, op: str, kind: str) -> None:
    """What a target has by itself is no other way of it.

    ``linalg_det`` writes where it may not: by luck it is another case that ends the process, or one of the old target.
    """
    asked = ("--only", op, "--to", f"env.{variable}", "--json", "--results", tmp_path)
    said = json.loads(harness("operators", *SAME, *asked).out)
    told = {each["kind"] for each in said["differences"]}
    assert kind in told or (op == "linalg_det" and op in said["unstable"])
    if op == "Activation":  # as small as it still does that: one value that is not finite
        (shapes,) = {str(each["shapes"]) for each in said["differences"] if each["kind"] == kind}
        assert set(shapes) <= set("[1, ]")
    assert not [each for each in said["otherwise"] if variable.startswith("MXNET_ENGINE") and "Naive" in each]


def test_going_on_runs_nothing_again(results: Path) -> None:
    command = harness("operators", "--resume", "last", "--json", "--results", results)
    assert command.code == 0
    assert "nothing is left to run" in command.err


@pytest.fixture(scope="module")
def scripts(results: Path, target: Path) -> Mapping[str, Sequence[Mapping[str, Any]]]:
    """Cases that worked, by operator; their scripts have run, one after the other in one process, as imports take long.

    The ``number``-th of an operator's left its first output in ``OPERATOR-number.npy``.
    """
    (file,) = results.glob("studies/*/from.jsonl")
    worked = [line for line in sweep_lines.read(file) if line.get("status") == "ok"]
    each = {name: [line for line in worked if line["op"] == name][:4] for name in (*SWEPT, *PROGRAMS)}
    for name, cases in each.items():
        for number, case in enumerate(cases):
            told = "np.asarray(getattr(outputs[0], 'asnumpy', lambda: outputs[0])())"
            text = f"{script(Difference(name, 'other values', case, 'why'))}\nnp.save('{name}-{number}.npy', {told})\n"
            (results / f"{name}-{number}.py").write_text(text)
    runs = "import pathlib, runpy\nfor path in sorted(pathlib.Path().glob('*-?.py')): runpy.run_path(str(path))"
    subprocess.run([str(target), "-c", runs], cwd=results, check=True, capture_output=True, timeout=240)
    return each


@pytest.mark.parametrize("name", [*SWEPT, *PROGRAMS])
def test_a_script_computes_what_was_swept(
    results: Path, scripts: Mapping[str, Sequence[Mapping[str, Any]]], name: str
) -> None:
    assert scripts[name]
    for number, case in enumerate(scripts[name]):
        assert len((results / f"{name}-{number}.py").read_text().splitlines()) < 42
        computed = np.load(results / f"{name}-{number}.npy").reshape(-1)
        np.testing.assert_array_equal(computed, array(case["outputs"][0]))


def test_calls_are_timed_by_turns(target: Path, tmp_path: Path) -> None:
    """NaiveEngine computes in the thread that calls: a short call saves its way to another one."""
    other = ("--from", "mxnet=1.9.1", "--to", "mxnet=1.9.1", "--to", "env.MXNET_ENGINE_TYPE=NaiveEngine")
    only = ("--only", "exp", "--only", "FullyConnected", "--times")
    command = harness("operators", *other, *only, "--json", "--results", tmp_path)
    said = json.loads(command.out)
    (file,) = tmp_path.glob("studies/*/times.jsonl")
    timed = list(read_times(file))
    assert sorted((each.op, each.way) for each in timed) == [
        (op, way) for op in ("FullyConnected", "exp") for way in ("forward", "with gradients")
    ]
    assert all(len(each.ratios) == 9 and each.calls and not each.refused for each in timed)
    assert {each["kind"] for each in (*said["differences"], *said["better"])} <= {"takes longer", "takes less time"}


def test_an_operator_that_is_none_is_told(target: Path, tmp_path: Path) -> None:
    command = harness("operators", *SAME, "--only", "expp", "--results", tmp_path)
    assert command.code == 2
    assert "'expp' is no operator of mxnet 1.9.1" in command.err


def test_a_python_without_mxnet_is_a_mistake_and_no_crash(tmp_path: Path) -> None:
    command = harness("operators", "--from-python", sys.executable, *SAME[2:], "--results", tmp_path)
    assert command.code == 2
    assert f"there is no mxnet in {sys.executable}" in command.err
    assert list(tmp_path.iterdir()) == []


def test_a_fork_of_mxnet_computes(target: Path, tmp_path: Path) -> None:
    """Where it did not, each process would import MXNet, and take seconds, without a word."""
    work = sweep.Sweep(tmp_path, 1)
    for engine in ("ThreadedEnginePerDevice", "NaiveEngine"):
        asked = operator_process.Pass(
            "from", Interpreter(target), {"MXNET_ENGINE_TYPE": engine}, tmp_path / "from.jsonl"
        )
        with closing(work._forking(asked, str(tmp_path))) as child:
            assert child.followed
