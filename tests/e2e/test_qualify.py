"""Real MXNets qualified: one beside itself, and one that does not start."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.e2e.conftest import harness

pytestmark = pytest.mark.e2e
SAME = ("--from", "mxnet=1.9.1", "--to", "mxnet=1.9.1")
FEW = ("--only", "exp", "--only", "FullyConnected")
PAUSED = """\
title: Does it survive a pause?
workload: {script: ./train.py, steps: 60, warmup: 10}
topology: {kvstore: dist_sync, workers: 2}
stall_timeout: 20s
faults:
  - pause: {select: {role: worker, rank: 1}, at: {step: 20}, for: {time: 1s}}
"""
SCRIPT = """\
import mxnet as mx
from mxnet import autograd, gluon

net = gluon.nn.Dense(3)
net.initialize()
trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.1}, kvstore="dist_sync")
loss = gluon.loss.L2Loss()
for step in range(60):
    data, label = mx.nd.ones((8, 4)), mx.nd.ones((8, 3))
    with autograd.record():
        found = loss(net(data), label)
    found.backward()
    trainer.step(8)
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, target: Path) -> Path:
    """A scenario of one's own, with a fault, and its script."""
    made = tmp_path_factory.mktemp("qualify")
    (made / "paused.yaml").write_text(PAUSED)
    (made / "train.py").write_text(SCRIPT)
    return made


ROWS = ("--row", "starts", "--row", "operators", "--row", "survival")


def test_a_version_beside_itself_is_a_go(folder: Path) -> None:
    asked = (folder / "paused.yaml", *SAME, *FEW, *ROWS, "--topology", "none")
    command = harness("qualify", *asked, "--json", "--results", folder)
    assert command.code == 0, command.out + command.err
    body = command.json
    assert (body["word"], [(row["title"], row["word"]) for row in body["rows"]]) == (
        "go",
        [("starts", "go"), ("means the same", "go"), ("survives the same", "go"), ("NaN, hang, crash", "go")],
    )
    starts = body["rows"][0]
    versions, looked_up, machine = starts["told"]
    assert re.match(r"on .+ with \w+, \d+ cores, .+, kernel ", machine)
    assert versions == f"from {versions.split(' to ')[1]} to {versions.split(' to ')[1]}"
    assert looked_up.endswith("names of MXNet that scripts use were looked up")
    assert body["rows"][2]["told"][-1] == "1 cells"
    page = harness("report", "last:qualify", "--output", folder / "page.html", "--results", folder)
    assert page.code == 0, page.err
    assert "May we upgrade? mxnet 1.9.1 → mxnet 1.9.1" in (folder / "page.html").read_text()
    junit = harness("report", "last:qualify", "--form", "junit", "--results", folder)
    assert (junit.code, junit.out.count("<testcase"), junit.out.count("<failure")) == (0, 4, 0), junit.err


def test_its_parts_are_studies_that_stay_with_it(folder: Path) -> None:
    *_, whole = sorted(folder.glob("studies/*-qualify"))  # more where the test before was run again
    parts = json.loads((whole / "parts.json").read_text())
    assert sorted(parts) == ["operators", "starts", "survival"]
    said = harness("studies", "--results", folder).out
    assert f"harness qualify --resume {whole.name}" in said
    units = harness("prune", "--keep", "0", "--json", "--results", folder).json["units"]
    assert [unit["kept"] for unit in units if unit["name"] in parts.values()] == [f"{whole.name} rests on it"] * 3


def test_an_mxnet_that_does_not_start_is_a_no_go_and_nothing_else_is_asked(tmp_path: Path) -> None:
    to = ("--from", "mxnet=1.9.1", "--to", f"python={sys.executable}")
    command = harness("qualify", *to, "--json", "--results", tmp_path)
    assert command.code == 1, command.out + command.err
    starts, *others = command.json["rows"]
    assert "No module named 'mxnet'" in starts["reasons"][0]["text"]
    assert {row["word"] for row in others} == {"not decided"}
    assert {reason["text"].split(": ")[-1] for row in others for reason in row["reasons"]} == {
        "not asked, as it does not start"
    }


def test_a_numpy_with_which_mxnet_does_not_import_is_a_no_go(tmp_path: Path) -> None:
    """A target that cannot be built for this reason is an answer, not a failure of the harness."""
    sides = ("--from", "mxnet=1.9.1", "--to", "mxnet=1.9.1", "--to", "numpy=1.26.4", "--row", "starts")
    command = harness("qualify", *sides, "--json", "--results", tmp_path)
    assert command.code == 1, command.out + command.err
    (row,) = command.json["rows"]
    (reason,) = row["reasons"]
    assert "numpy-1.26.4" in reason["text"] and "module 'numpy' has no attribute 'bool'" in reason["text"]


@pytest.mark.parametrize(
    ("asked", "why"),
    [
        (("--to", "mxnet=1.9.1", "--only", "nope"), "'nope' is no operator of mxnet 1.9.1"),
        (("--to", "mxnet=9.9"), "the package index has no mxnet==9.9; there are "),
    ],
)
def test_mistakes_are_told_before_anything_is_measured(
    target: Path, tmp_path: Path, asked: tuple[str, ...], why: str
) -> None:
    command = harness("qualify", "--from", "mxnet=1.9.1", *asked, "--row", "operators", "--results", tmp_path)
    assert (command.code, why in command.err) == (2, True), command.err
    assert not list(tmp_path.glob("studies/*"))


def test_interrupted_it_goes_on_where_it_was(target: Path, tmp_path: Path) -> None:
    argv = [sys.executable, "-m", "harness", "qualify", *SAME, *FEW, "--row", "starts", "--row", "operators"]
    begun = subprocess.Popen([*argv, "--results", str(tmp_path)], stderr=subprocess.PIPE, text=True, cwd=ROOT)
    assert begun.stderr is not None
    for line in begun.stderr:
        if line.startswith("operators: the old one:"):
            break
    begun.send_signal(signal.SIGINT)
    said = begun.stderr.read()
    assert begun.wait(60) == 130
    assert "go on with: harness qualify --resume" in said
    command = harness("qualify", "--resume", "last", "--json", "--results", tmp_path)
    assert command.code == 0, command.out + command.err
    assert len(list(tmp_path.glob("studies/*-starts"))) == len(list(tmp_path.glob("studies/*-operators"))) == 1
    assert "starts:" not in command.err


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (("--from", "mxnet=1.9.1"), "give both sides"),
        ((*SAME, "--seeds", "3"), "fewer than 4 have no interval"),
        (("--from", "mxnet=1.9.1", "--to", "scipy=1.9"), "--to scipy=1.9: write mxnet=…"),
        (("--from", "mxnet=1.9.1", "--to", "nccl=2.18.1"), "does nothing without cuda"),
        ((*SAME, "--accept", "nothing.yaml"), "cannot be read"),
        (("nothing.yaml", *SAME), "cannot be read"),
    ],
)
def test_mistakes_are_told_before_anything_runs(tmp_path: Path, asked: tuple[str, ...], said: str) -> None:
    command = harness("qualify", *asked, "--results", tmp_path)
    assert (command.code, said in command.err) == (2, True), command.err
    assert not (tmp_path / "studies").exists()
