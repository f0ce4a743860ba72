"""Real training under the oldest Python that is here, with an interpreter into which nothing is installed."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from harness.targets.environment import cache_folder
from tests.e2e.conftest import harness
from tests.worker.test_old_pythons import interpreter

pytestmark = pytest.mark.e2e


def _production(python: str) -> Path:
    """An environment that the harness did not make, kept beside those that it makes."""
    folder = cache_folder().parent / "tests" / f"production-{Path(python).name}"
    ours = folder / "bin" / "python"
    if not (folder / "ready").is_file():
        subprocess.run([python, "-m", "venv", "--clear", str(folder)], check=True)
        subprocess.run([str(ours), "-m", "pip", "install", "--quiet", "mxnet==1.9.1", "numpy<1.24"], check=True)
        (folder / "ready").touch()
    return ours


def test_a_production_interpreter_of_python_3_7_or_3_8(tmp_path: Path) -> None:
    python = interpreter("3.7") or interpreter("3.8")
    if python is None:
        pytest.skip("there is neither python3.7 nor python3.8 here")
    ours = _production(python)
    before = subprocess.run([str(ours), "-m", "pip", "freeze"], capture_output=True, text=True).stdout
    scenario = "scenarios/kvstore/dist-sync-healthy.yaml"
    command = harness("run", scenario, "--python", ours, "--json", "--results", tmp_path, "--set", "workload.steps=100")
    assert command.code == 0, command.out + command.err
    assert command.json["verdicts"][0]["facts"]["target"]["python"].startswith(("3.7", "3.8"))
    assert subprocess.run([str(ours), "-m", "pip", "freeze"], capture_output=True, text=True).stdout == before
