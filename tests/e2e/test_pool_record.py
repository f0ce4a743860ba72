"""Allocations of a real training, as MXNet's profiler tells them, through the pools."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.gpu import allocation_trace
from harness.storage import history
from harness.vocabulary.events import Memory
from tests.e2e.conftest import harness

pytestmark = pytest.mark.e2e
LSTM = """\
title: a question
workload:
  model: lstm_lm
  batch_size: 8
  steps: 40
  shapes: {distribution: lognormal, median: 24, sigma: 0.5, min: 4, max: 96}
"""


@pytest.fixture
def lstm(tmp_path: Path) -> Path:
    path = tmp_path / "lstm.yaml"
    path.write_text(LSTM)
    return path


def test_what_is_recorded_is_what_is_live(target: Path, lstm: Path, tmp_path: Path) -> None:
    """The most that the trace has live is the most that MXNet counted, of the whole run."""
    file = tmp_path / "lstm.trace.gz"
    command = harness("pool", "record", lstm, "--write", file, "--results", tmp_path / "results")
    assert command.code == 0, command.err
    trace = allocation_trace.read(file)
    (run,) = (tmp_path / "results" / "runs").iterdir()
    counted = [event.live for event in history.read(run / "history.jsonl") if isinstance(event, Memory)]
    assert trace.peak == pytest.approx(max(live for live in counted if live is not None), abs=1000)
    assert len({size for _, size in trace.events}) > 40
    assert harness("pool", "best", file, "--gpu-memory", "1GB").code == 0


def test_one_process_only(target: Path, lstm: Path, tmp_path: Path) -> None:
    several = ("--set", "topology.kvstore=dist_sync", "--set", "topology.workers=2", "--set", "topology.servers=1")
    command = harness("pool", "record", lstm, *several, "--write", tmp_path / "t", "--results", tmp_path / "results")
    assert command.code == 2
    assert "has 4 processes; allocations are recorded of one" in command.err
