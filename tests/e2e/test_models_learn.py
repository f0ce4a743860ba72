"""What teachers draw can be learned: the loss of every model falls well below that of guessing."""

from __future__ import annotations

from math import log
from pathlib import Path

import pytest

from tests.e2e.conftest import harness

pytestmark = pytest.mark.e2e
GUESSED = {"text_cnn": log(256), "lstm_lm": log(256), "transformer": log(256), "dropout": log(10)}


def test_losses_fall(target: Path, tmp_path: Path) -> None:
    command = harness("run", "scenarios/training/models.yaml", "--json", "--results", tmp_path / "results")
    assert command.code == 0, command.err
    for arm in command.json["verdicts"][0]["arms"]:
        (loss,) = [each["value"] for each in arm["measures"] if each["name"] == "final_loss"]
        assert loss < 0.6 * GUESSED.get(arm["arm"], log(2)), arm["arm"]
