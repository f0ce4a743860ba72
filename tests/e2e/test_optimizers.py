"""Optimizers and schedules of learning rates: they are MXNet's own, and they do what they are for."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.e2e.conftest import harness

pytestmark = pytest.mark.e2e
SCENARIO = """\
title: a question
workload: {model: mlp, steps: 120, warmup: 10, optimizer: {name: rmsprop, learning_rate: 0.001, gamma1: 0.95}}
variants:
  steady: {}
  frozen: {workload.optimizer.schedule: {name: factor, step: 1, factor: 0.01, stop_factor_lr: 1e-12}}
"""


def test_a_schedule_that_ends_learning_at_once(target: Path, tmp_path: Path) -> None:
    path = tmp_path / "question.yaml"
    path.write_text(SCENARIO)
    command = harness("run", path, "--json", "--results", tmp_path / "results")
    assert command.code == 0, command.err
    losses = {
        arm["arm"]: [each["value"] for each in arm["measures"] if each["name"] == "final_loss"]
        for arm in command.json["verdicts"][0]["arms"]
    }
    assert losses["steady"][0] < 0.5
    assert losses["frozen"][0] > 1.5


def test_what_the_target_does_not_take_is_told_before_anything_runs(target: Path, tmp_path: Path) -> None:
    path = tmp_path / "question.yaml"
    path.write_text(SCENARIO)
    command = harness("run", path, "--set", "workload.optimizer.gama1=0.9", "--results", tmp_path / "results")
    assert command.code == 2
    assert "workload.optimizer.gama1: rmsprop has no such argument" in command.err
    assert not (tmp_path / "results" / "runs").exists()
