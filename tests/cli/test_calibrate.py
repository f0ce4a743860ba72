"""What cannot be calibrated with."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness import cli

TEXT = """\
title: t
workload: {model: mlp, batch_size: 32, steps: 120, warmup: 20, checkpoint: {every: 10}}
"""


def test_a_scenario_that_writes_checkpoints_is_refused_before_anything_runs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "question.yaml"
    path.write_text(TEXT)
    assert cli.main(["calibrate", str(path), "--results", str(tmp_path / "results")]) == 2
    assert "writes checkpoints, between turns of others; give a scenario without" in capsys.readouterr().err
    assert not (tmp_path / "results").exists()
