"""Networks from files of the user's, in the harness's own loop."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.e2e.conftest import Command, harness, judged_arm

pytestmark = pytest.mark.e2e
NETWORK = (ROOT / "scenarios" / "own" / "network.py").read_text()
DIGITS = """\
from mxnet import gluon

INPUT = "flat"

class Net(gluon.nn.Dense):
    def __init__(self, classes):
        super().__init__(classes)

def metric(outputs, labels):
    return len(labels)
"""
SCENARIO = """\
title: a question
seed: 3
workload: {model: "./net.py:NAME", steps: 120, warmup: 10, optimizer: {learning_rate: 0.05}OTHERS}
"""


def ran(folder: Path, file: str, name: str, others: str = "", more: str = "") -> Command:
    (folder / "net.py").write_text(file)
    text = SCENARIO.replace("NAME", name).replace("OTHERS", others and f", {others}") + more
    (folder / "question.yaml").write_text(text)
    return harness("run", folder / "question.yaml", "--json", "--results", folder / "results")


def measured(command: Command, name: str) -> list[float]:
    return [each["value"] for each in judged_arm(command)["measures"] if each["name"] == name]


def test_its_own_loss_and_data_with_workers_faults_and_checkpoints(tmp_path: Path) -> None:
    more = """\
topology: {kvstore: dist_sync, workers: 2}
faults:
  - corrupt_batch: {select: {role: worker, rank: 1}, at: {step: 40}, for: {steps: 2}, how: labels}
  - kill: {select: {role: worker, rank: 0}, at: {step: 70}}
stall_timeout: 5s
expect: {outcome: hung}
"""
    command = ran(tmp_path, NETWORK, "build", "checkpoint: {every: 30}", more)
    assert command.code == 0, command.err
    receipts = judged_arm(command)["receipts"]
    assert [receipt["proven"] for receipt in receipts] == [True, True]


def test_it_learns_and_a_file_that_was_changed_is_not_replayed(tmp_path: Path) -> None:
    command = ran(tmp_path, NETWORK, "build")
    assert command.code == 0, command.err
    (loss,) = measured(command, "final_loss")
    assert loss < 0.1
    (run,) = (tmp_path / "results" / "runs").iterdir()
    (tmp_path / "net.py").write_text(NETWORK + "\n")
    again = harness("replay", run.name, "--results", tmp_path / "results")
    assert (again.code, "net.py was changed since the plan was made" in again.err) == (2, True), again.err


def test_a_class_and_its_metric(tmp_path: Path) -> None:
    command = ran(tmp_path, DIGITS, "Net", "held_back: 100")
    assert command.code == 0, command.err
    assert measured(command, "accuracy") == [1.0]


@pytest.mark.parametrize(
    ("file", "name", "others", "said"),
    [
        ("def build():\n    return 3\n", "build", "", "net.py:build returned a int; it must return a block (net.py:1)"),
        (
            DIGITS.replace("len(labels)", "9999"),
            "Net",
            "held_back: 50",
            "metric returned 9999.0; it must count the right ones of 50 (net.py:",
        ),
        (
            f"{DIGITS}\ndef loss(outputs, labels):\n    return 3\n",
            "Net",
            "",
            "loss returned a int; it must return an array with a number for each sample (net.py:12)",
        ),
        (f"{DIGITS}\nbatches = 5\n", "Net", "", "batches of net.py is a int; it must be a function"),
    ],
)
def test_what_makes_no_sense_is_said(tmp_path: Path, file: str, name: str, others: str, said: str) -> None:
    command = ran(tmp_path, file, name, others)
    assert command.code == 1
    assert f"WrongAnswerError: {said}" in " ".join((command.out + command.err).split())


def test_a_file_that_ends_the_process_is_not_taken_for_mxnet(tmp_path: Path) -> None:
    command = ran(tmp_path, f"import os\nos._exit(0)\n{DIGITS}", "Net")
    assert command.code == 1
    arm = judged_arm(command)
    expected = "worker/0 ended with exit status 0 before all were ready; net.py ended it"
    assert (arm["outcome"], arm["reason"]) == ("crashed", expected)


def test_what_it_raises_names_its_line(tmp_path: Path) -> None:
    command = ran(tmp_path, "def build():\n    return net\n", "build")
    assert command.code == 1
    shown = harness("show", "last", "--results", tmp_path / "results").out
    assert "line 2, in build" in " ".join(shown.split())
    assert "NameError: name 'net' is not defined (net.py:2)" in " ".join(shown.split())


def test_a_metric_that_nobody_asks_is_told_of(tmp_path: Path) -> None:
    command = ran(tmp_path, DIGITS, "Net")
    assert "metric of net.py does nothing without workload.held_back" in command.err
