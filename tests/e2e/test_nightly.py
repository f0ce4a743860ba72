"""Nights in a project of one's own, on real MXNet: a change that computes something else, a kill, an acceptance."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.e2e.conftest import Command, harness

pytestmark = pytest.mark.e2e
OPTIONS = ("--budget", "6min", "--repeat", "1", "--confirm", "40s")
SCENARIO: dict[str, Any] = {
    "title": "Does a small network train as it did?",
    "tags": ["asv"],
    "workload": {"model": "mlp", "steps": 60, "warmup": 10, "optimizer": {"name": "sgd", "learning_rate": 0.05}},
}


def _project(folder: Path) -> Path:
    assert harness("init", folder).code == 0
    for path in (folder / "scenarios").glob("*.yaml"):
        path.unlink()
    _write(folder, SCENARIO)
    return folder


def _write(project: Path, values: dict[str, Any]) -> None:
    (project / "scenarios" / "small.yaml").write_text(yaml.safe_dump(values, sort_keys=False))


def _night(project: Path) -> Command:
    return harness("nightly", *OPTIONS, "--json", cwd=project)


def _git(project: Path, *arguments: str) -> str:
    done = subprocess.run(["git", "-C", str(project), *arguments], check=True, capture_output=True, text=True)
    return done.stdout.strip()


def _killed(project: Path) -> None:
    """As by a machine that loses its power, once the first run is over."""
    argv = [sys.executable, "-m", "harness", "nightly", *OPTIONS]
    process = subprocess.Popen(argv, cwd=project, stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    next(line for line in process.stderr if line.startswith("1 after"))
    process.send_signal(signal.SIGKILL)
    process.stderr.close()
    process.wait()


def test_a_change_is_found_blamed_and_accepted(target: Path, tmp_path: Path) -> None:
    project = _project(tmp_path / "project")
    first = _night(project)
    assert first.code == 0, first.err
    assert [each["state"] for each in first.json["scenarios"]] == ["good"]

    workload = {**SCENARIO["workload"], "optimizer": {"name": "sgd", "learning_rate": 0.06}}
    _write(project, {**SCENARIO, "workload": workload, "target": {"env": {"NOBODY_READS_THIS": "1"}}})
    before = _git(project, "status", "--porcelain=v2", "--branch")
    _killed(project)
    second = _night(project)
    assert second.code == 1, second.err + second.out
    assert "goes on with the night" in second.err
    assert "round-1-small" not in second.err  # it was there already
    (answer,) = second.json["scenarios"][0]["answers"]
    assert (answer["measure"], answer["word"]) == ("meaning", "software")
    assert answer["cause"] == "scenario workload.optimizer.learning_rate: 0.05 → 0.06"
    assert second.json["alerts"] == [answer["id"]]
    assert _git(project, "status", "--porcelain=v2", "--branch") == before
    assert _git(project, "log", "--format=%s", "nights").count("night ") == 2
    assert "learning_rate: 0.05" in _git(project, "show", "nights~1:scenarios/small.yaml")
    assert "numpy==" in _git(project, "show", "nights:targets/small.txt")

    pages = project / "results" / "nights"
    graphs = [json.loads(path.read_text()) for path in pages.glob("html/graphs/**/*Small.track_final_loss.json")]
    assert graphs and max(map(len, graphs)) == 2  # both nights are on the axis

    third = _night(project)
    assert (third.code, third.json["alerts"]) == (0, [])  # it is told once
    assert harness("nightly", "accept", answer["id"], "--because", "on purpose", cwd=project).code == 0
    fourth = _night(project)
    assert (fourth.code, fourth.json["scenarios"][0]["state"]) == (0, "good"), fourth.out


def test_a_scenario_that_is_broken_fails_alone_and_the_night_is_kept(target: Path, tmp_path: Path) -> None:
    project = _project(tmp_path / "project")
    (project / "scenarios" / "broken.yaml").write_text("title: no workload\n")
    night = _night(project)
    assert night.code == 3, night.err
    states = {each["key"]: each["state"] for each in night.json["scenarios"]}
    assert states == {"small": "good", "broken": "failed"}
    (project / "scenarios" / "small.yaml").unlink()
    nothing = _night(project)
    assert (nothing.code, "the night could not run" in nothing.json["headline"]) == (3, True)
    shown = harness("nightly", "show", "--json", cwd=project).json["nights"]
    assert [bool(each["failure"]) for each in shown] == [False, True]
