"""Runs of real scenarios, each made once for all tests that look at it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from harness.execution import machine
from tests.conftest import ROOT

pytestmark = pytest.mark.e2e
CLUSTERS = machine.namespaces().there and machine.tun().there
needs_clusters = pytest.mark.skipif(not CLUSTERS, reason="no user namespaces or no /dev/net/tun here")


@dataclass(frozen=True)
class Command:
    """What a command printed and how it ended."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


def harness(*arguments: object, cwd: Path = ROOT, **env: str) -> Command:
    """The command line as a user calls it."""
    argv = [sys.executable, "-m", "harness", *map(str, arguments)]
    done = subprocess.run(argv, capture_output=True, text=True, cwd=cwd, env={**os.environ, **env}, timeout=600)
    return Command(done.returncode, done.stdout, done.stderr)


@pytest.fixture(scope="session")
def quick(target: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Command]:
    """All shipped quick scenarios: the results folder and what `harness run --json` said."""
    results = tmp_path_factory.mktemp("quick")
    return results, harness("run", "scenarios", "--tag", "quick", "--json", "--results", results)


@pytest.fixture
def run(scenario: Callable[[str], Path], target: Path, tmp_path: Path) -> Callable[..., Command]:
    """A function that runs a scenario from its text, with results of this test's own."""

    def run_text(text: str, *options: object) -> Command:
        return harness("run", scenario(text), "--json", "--results", tmp_path / "results", *options)

    return run_text


def last_arm(command: Command) -> Any:
    """The last arm of the first verdict."""
    assert command.out, command.err
    return command.json["verdicts"][0]["arms"][-1]


@pytest.fixture
def scenario(tmp_path: Path) -> Any:
    """A function that writes a scenario file from its text."""

    def write(text: str) -> Path:
        path = tmp_path / "question.yaml"
        path.write_text(text)
        return path

    return write
