"""Runs of real scenarios, each made once for all tests that look at it."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import warnings
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml

from harness.execution import machine
from tests.conftest import ROOT

pytestmark = pytest.mark.e2e
CLUSTERS = machine.namespaces().there and machine.tun().there
needs_clusters = pytest.mark.skipif(not CLUSTERS, reason="no user namespaces or no /dev/net/tun here")
needs_bfloat16 = pytest.mark.skipif(not machine.bfloat16().there, reason="this processor has no AVX-512")


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


README = (ROOT / "README.md").read_text()
README_COMMANDS = [
    line for block in re.findall(r"```sh\n(.*?)```", README, re.S) for line in block.strip().splitlines()
]
SKIPPED = {"make test": "this is what runs", "asv preview": "it never ends"}
if not CLUSTERS:
    SKIPPED |= {line: "no clusters here" for line in README_COMMANDS if "pocket-cluster" in line or "doctor" in line}


class Stranger:
    """A fresh clone of the last commit, with all that README's commands left in it."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.results = folder, folder / "results"
        subprocess.run(["git", "clone", "--quiet", str(ROOT), str(folder)], check=True)
        self.done = {line: self._run(line) for line in README_COMMANDS if line not in SKIPPED}

    def _run(self, line: str) -> Command:
        """Typed once more where it fails: a run that the machine disturbed decides nothing."""
        first = self._once(line)
        return first if first.code == 0 else self._once(line)

    def _once(self, line: str) -> Command:
        argv = ["sh", "-c", line]
        done = subprocess.run(argv, cwd=self.folder, env=self.env, capture_output=True, text=True, timeout=1200)
        return Command(done.returncode, done.stdout, done.stderr)

    @property
    def env(self) -> dict[str, str]:
        home = self.folder.parent / "home"
        home.mkdir(exist_ok=True)
        caches = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
        path = f"{self.folder / '.venv' / 'bin'}:{os.environ['PATH']}"
        who = {f"GIT_{role}_{what}": "t@example.org" for role in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
        return {**os.environ, **who, "HOME": str(home), "XDG_CACHE_HOME": caches, "PATH": path}


@pytest.fixture(scope="session")
def stranger(target: Path, tmp_path_factory: pytest.TempPathFactory) -> Stranger:
    """Who has read README and typed its commands, in their order."""
    return Stranger(tmp_path_factory.mktemp("stranger") / "harness")


@dataclass(frozen=True)
class Quick:
    """The verdict of each shipped quick scenario, by name, and the folder of results."""

    results: Path
    verdicts: dict[str, Any]

    def run(self, name: str) -> str:
        """The id of its run."""
        return str(self.verdicts[name]["run"])


@pytest.fixture(scope="session")
def quick(stranger: Stranger) -> Quick:
    """All shipped quick scenarios, each run once: by README's commands, or here.

    What does not pass is run again, at most twice, and named, as `--reruns 2` cannot: what it runs again is the test.
    """
    wanted = {path.stem: path for path in (ROOT / "scenarios").rglob("*.yaml") if "quick" in _tags(path)}
    verdicts = _verdicts(stranger.results)
    for _ in range(3):
        missing = [path for name, path in wanted.items() if verdicts.get(name, {}).get("verdict") != "pass"]
        for path in missing:
            if body := verdicts.get(path.stem):
                warnings.warn(f"{path.stem} is run again: {body['verdict']}, {body['reason']}", stacklevel=1)
        with ThreadPoolExecutor(2) as pairs:
            list(pairs.map(lambda path: harness("run", path, "--results", stranger.results), missing))
        verdicts = _verdicts(stranger.results)
    return Quick(stranger.results, {name: verdicts[name] for name in wanted if name in verdicts})


def _tags(path: Path) -> list[str]:
    return list(yaml.safe_load(path.read_text()).get("tags", []))


def _verdicts(results: Path) -> dict[str, Any]:
    """The verdict of the first run of each scenario that passed, else of the first that decided anything."""
    bodies = [json.loads(path.read_text()) for path in sorted((results / "runs").glob("*/verdict.json"), reverse=True)]
    bodies.sort(key=lambda body: ("unknown", "invalid", "fail", "pass").index(body["verdict"]))
    return {body["run"].split("-", 1)[1].rsplit("-", 1)[0]: body for body in bodies}


@pytest.fixture
def run(scenario: Callable[[str], Path], target: Path, tmp_path: Path) -> Callable[..., Command]:
    """A function that runs a scenario from its text, with results of this test's own, and quick starts."""

    def run_text(text: str, *options: object) -> Command:
        told = ("--json", "--results", tmp_path / "results", "--set", "quick_start=true")
        return harness("run", scenario(text), *told, *options)

    return run_text


def judged_arm(command: Command) -> Any:
    """Of the first verdict: the job itself, or the last of its variants."""
    assert command.out, command.err
    arms = command.json["verdicts"][0]["arms"]
    return next((arm for arm in arms if arm["arm"] == "main"), arms[-1])


@pytest.fixture
def scenario(tmp_path: Path) -> Any:
    """A function that writes a scenario file from its text."""

    def write(text: str) -> Path:
        path = tmp_path / "question.yaml"
        path.write_text(text)
        return path

    return write
