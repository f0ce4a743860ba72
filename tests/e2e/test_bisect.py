"""The first target that shows it, of real ones."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.e2e.conftest import harness

pytestmark = pytest.mark.e2e
OLD, NAIVE = "1.8.0.post0", "1.8.0.post0,env.MXNET_ENGINE_TYPE=NaiveEngine"
SCENARIO = """\
title: Does it train?
control: false
workload: {model: mlp, dataset: digits, steps: 40, warmup: 10}
expect: {outcome: completed}
"""


def test_the_first_version_in_which_an_operator_differs(target: Path, tmp_path: Path) -> None:
    """KLDivLoss sums over classes in 1.9.1, where 1.8 took their mean."""
    asked = ("--operator", "gluon.loss.KLDivLoss", "--good", OLD, "--between", NAIVE, "--bad", "1.9.1")
    command = harness("bisect", *asked, "--json", "--results", tmp_path)
    assert command.code == 0, command.out + command.err
    body = command.json
    assert (body["last_without"], body["first_with"]) == (
        "mxnet 1.8.0.post0 MXNET_ENGINE_TYPE=NaiveEngine",
        "mxnet 1.9.1",
    )
    assert body["targets"][-1]["because"].startswith("other values: output 0: ")
    shown = harness("bisect", "--resume", "last", "--results", tmp_path)
    assert "mxnet 1.9.1 (other values" in shown.out
    assert "a program that shows what differs: harness operators --resume" in shown.out
    assert harness("report", "last:bisect", "--output", tmp_path / "page.html", "--results", tmp_path).code == 0


def test_the_first_target_whose_runs_fail(target: Path, tmp_path: Path) -> None:
    (tmp_path / "trains.yaml").write_text(SCENARIO)
    broken = ("--bad", "1.9.1", "--bad", "env.MXNET_ENGINE_TYPE=NoSuchEngine")
    between = ("--between", "1.9.1,env.MXNET_ENGINE_TYPE=NaiveEngine")
    asked = (tmp_path / "trains.yaml", "--good", "1.9.1", *between, *broken, "--repeat", "2")
    command = harness("bisect", *asked, "--json", "--results", tmp_path)
    assert command.code == 0, command.out + command.err
    assert command.json["first_with"] == "mxnet 1.9.1 MXNET_ENGINE_TYPE=NoSuchEngine"
    assert command.json["last_without"] == "mxnet 1.9.1 MXNET_ENGINE_TYPE=NaiveEngine"
    assert command.json["targets"][0]["because"] == "pass 2 of 2"


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (("--good", "1.8.0.post0", "--bad", "1.9.1"), "give a scenario, or --operator NAME"),
        (("--operator", "exp", "--good", "1.9.1", "--bad", "1.8.0.post0"), "is not older than"),
        (
            ("--operator", "exp", "--good", "1.9.1", "--bad", f"python={sys.executable}"),
            "between interpreters nobody knows",
        ),
        (
            ("--operator", "exp", "--good", "1.7.0", "--bad", "mxnet=1.9.1", "--bad", "numpy=1.23.2"),
            "differ in more than mxnet",
        ),
        (("--operator", "exp", "--measure", "drift", "--good", "1.8", "--bad", "1.9.1"), "an operator has no measure"),
        (
            ("--operator", "exp", "--good", "one", "--bad", "1.9.1"),
            "--good one: 'one' is not possible: write versions as in 1.9.1",
        ),
    ],
)
def test_mistakes_are_told_before_anything_runs(tmp_path: Path, asked: tuple[str, ...], said: str) -> None:
    command = harness("bisect", *asked, "--results", tmp_path)
    assert (command.code, said in command.err) == (2, True), command.err
    assert not (tmp_path / "studies").exists()
