"""Every command of the README runs, in its order; the shown scenario is the shipped one."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import time
import urllib.request
from pathlib import Path

import pytest
import yaml

from tests.conftest import ROOT
from tests.e2e.conftest import CLUSTERS

pytestmark = [pytest.mark.e2e, pytest.mark.alone]

README = (ROOT / "README.md").read_text()
COMMANDS = [line for block in re.findall(r"```sh\n(.*?)```", README, re.S) for line in block.strip().splitlines()]
SKIPPED = {"make test": "this is what runs"}
if not CLUSTERS:
    SKIPPED |= {line: "no clusters here" for line in COMMANDS if "pocket-cluster" in line or "doctor" in line}


def test_the_shown_scenario_is_the_shipped_one() -> None:
    shown = re.search(r"```yaml\n(.*?)```", README, re.S)
    assert shown is not None
    assert yaml.safe_load(shown[1]) == yaml.safe_load(
        (ROOT / "scenarios" / "chaos" / "slow-worker-dist-sync.yaml").read_text()
    )


def test_files_and_pictures_that_are_named_exist() -> None:
    for name in re.findall(r"\]\((?!http)([^)]+)\)", README) + re.findall(r"`(scenarios/[^`]+)`", README):
        assert (ROOT / name).exists(), name


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory, target: Path) -> Path:
    """A fresh clone of the last commit, as a stranger has it."""
    folder = tmp_path_factory.mktemp("stranger") / "harness"
    subprocess.run(["git", "clone", "--quiet", str(ROOT), str(folder)], check=True)
    return folder


def _environment(clone: Path) -> dict[str, str]:
    home = clone.parent / "home"
    home.mkdir(exist_ok=True)
    caches = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    path = f"{clone / '.venv' / 'bin'}:{os.environ['PATH']}"
    who = {f"GIT_{role}_{what}": "t@example.org" for role in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    return {**os.environ, **who, "HOME": str(home), "XDG_CACHE_HOME": caches, "PATH": path}


def test_every_command_runs(clone: Path) -> None:
    assert COMMANDS[:2] == ["make bench", "make test"]
    for command in COMMANDS:
        if command in SKIPPED:
            continue
        if command == "asv preview":
            _preview(clone)
            continue
        done = subprocess.run(
            ["sh", "-c", command], cwd=clone, env=_environment(clone), capture_output=True, text=True, timeout=1200
        )
        assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
    assert (clone / "results" / "html" / "index.html").is_file()
    status = subprocess.run(["git", "status", "--porcelain"], cwd=clone, capture_output=True, text=True).stdout
    assert status == "", "a stranger's clone stays clean"


def _preview(clone: Path) -> None:
    """Serve the pages on loopback, fetch one, stop."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    argv = ["asv", "preview", "--port", str(port)]
    server = subprocess.Popen(
        argv, cwd=clone, env=_environment(clone), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        assert "airspeed velocity" in _page(f"http://127.0.0.1:{port}/").lower()
    finally:
        server.terminate()
        server.wait(timeout=30)


def _page(address: str) -> str:
    until = time.monotonic() + 60
    while True:
        try:
            with urllib.request.urlopen(address, timeout=10) as page:
                return str(page.read().decode())
        except OSError:
            if time.monotonic() > until:
                raise
            time.sleep(0.2)
