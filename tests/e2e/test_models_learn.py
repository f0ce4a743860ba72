"""What teachers draw can be learned: the loss of every model falls well below that of guessing."""

from __future__ import annotations

from math import log
from pathlib import Path

import pytest

from tests.e2e.conftest import harness

pytestmark = pytest.mark.e2e
SCENARIO = """\
title: a question
workload: {model: text_cnn, batch_size: 16, steps: 120, warmup: 20, optimizer: {name: adam, learning_rate: 0.01}}
variants:
  text_cnn: {}
  lstm_lm: {workload.model: lstm_lm}
  transformer: {workload.model: transformer, workload.optimizer.learning_rate: 0.003}
  wide_deep: {workload.model: wide_deep}
  factorization: {workload.model: factorization}
  dropout: {workload.model: dropout, workload.dataset: synthetic}
"""
GUESSED = {"text_cnn": log(256), "lstm_lm": log(256), "transformer": log(256), "dropout": log(10)}


def test_losses_fall(target: Path, tmp_path: Path) -> None:
    path = tmp_path / "question.yaml"
    path.write_text(SCENARIO)
    command = harness("run", path, "--json", "--results", tmp_path / "results")
    assert command.code == 0, command.err
    for arm in command.json["verdicts"][0]["arms"]:
        (loss,) = [each["value"] for each in arm["measures"] if each["name"] == "final_loss"]
        assert loss < 0.6 * GUESSED.get(arm["arm"], log(2)), arm["arm"]
