"""Batches by MXNet's own loaders: the same samples in the same order, and how long each step waited for them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.e2e.conftest import harness

pytestmark = pytest.mark.e2e
ALIKE = """\
title: a question
seed: 5
workload: {model: lenet, dataset: synthetic, samples: 100, batch_size: 12, steps: 20, warmup: 5, window: 5}
variants:
  arrays: {}
  loader: {workload.input: {by: data_loader}}
  processes: {workload.input: {by: data_loader, workers: 2, prefetch: 3}}
  threads: {workload.input: {by: data_loader, workers: 2, threads: true}}
expect: {outcome: completed}
"""


def _arms(folder: Path, scenario: object, *options: object) -> dict[str, dict[str, Any]]:
    command = harness("run", scenario, *options, "--json", "--results", folder / "results")
    assert command.code == 0, command.err
    return {arm["arm"]: arm for arm in command.json["verdicts"][0]["arms"]}


def _values(arm: dict[str, Any], name: str) -> list[Any]:
    return [each["value"] for each in arm["measures"] if each["name"] == name]


def test_a_data_loader_brings_the_batches_of_arrays(target: Path, tmp_path: Path) -> None:
    (tmp_path / "question.yaml").write_text(ALIKE)
    arms = _arms(tmp_path, tmp_path / "question.yaml")
    losses = {name: _values(arm, "final_loss") for name, arm in arms.items()}
    assert len(set(map(tuple, losses.values()))) == 1
    assert _values(arms["arrays"], "input_wait") == []
    assert all(_values(arms[name], "input_wait")[0] > 0 for name in ("loader", "processes", "threads"))


def test_every_way_to_batches_is_timed(target: Path, tmp_path: Path) -> None:
    arms = _arms(tmp_path, "scenarios/training/inputs.yaml")
    waits = {name: _values(arm, "input_wait") for name, arm in arms.items()}
    assert waits.pop("arrays") == []
    assert [name for name, each in waits.items() if each[0] is None or each[0] <= 0] == []


def test_two_workers_share_out_records_and_a_restart_goes_on(target: Path, tmp_path: Path) -> None:
    (tmp_path / "question.yaml").write_text(
        "title: a question\n"
        "workload: {model: lenet, dataset: synthetic, samples: 200, steps: 60, warmup: 5, checkpoint: {every: 10},\n"
        "  input: {by: record_iter, preprocessing: online}}\n"
        "faults:\n"
        "  - restart: {select: {role: worker, rank: 0}, at: {step: 35}, after: 500ms}\n"
    )
    arm = _arms(tmp_path, tmp_path / "question.yaml")["main"]
    assert "trained 60 steps" in arm["reason"]


def test_a_batch_size_may_vary(target: Path, tmp_path: Path) -> None:
    (tmp_path / "question.yaml").write_text(
        "title: a question\n"
        "workload: {model: mlp, steps: 40, warmup: 0, window: 40,\n"  # their losses have several shapes
        "  batch_size: {distribution: choice, values: [8, 64]}}\n"
        "topology: {kvstore: dist_sync, workers: 2, update_on_kvstore: false}\n"
        "expect: {outcome: completed}\n"  # MXNet lets weights part: kvstore/update-on-worker
    )
    arm = _arms(tmp_path, tmp_path / "question.yaml")["main"]
    assert _values(arm, "goodput")[0] > 0  # of throughput, most cells may be idle where tests share processors
