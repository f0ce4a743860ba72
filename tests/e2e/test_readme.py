"""Every command of the README runs, in its order; the shown scenario is the shipped one."""

from __future__ import annotations

import re
import socket
import subprocess
import time
import urllib.request

import pytest
import yaml

from tests.conftest import ROOT
from tests.e2e.conftest import README, README_COMMANDS, Stranger

pytestmark = [pytest.mark.e2e, pytest.mark.alone]


def test_the_shown_scenario_is_the_shipped_one() -> None:
    shown = re.search(r"```yaml\n(.*?)```", README, re.S)
    assert shown is not None
    assert yaml.safe_load(shown[1]) == yaml.safe_load(
        (ROOT / "scenarios" / "chaos" / "slow-worker-dist-sync.yaml").read_text()
    )


def test_files_and_pictures_that_are_named_exist() -> None:
    for name in re.findall(r"\]\((?!http)([^)]+)\)", README) + re.findall(r"`(scenarios/[^`]+)`", README):
        assert (ROOT / name.partition("#")[0]).exists(), name


def test_every_command_runs(stranger: Stranger) -> None:
    assert README_COMMANDS[:2] == ["make bench", "make test"]
    failed = {line: done for line, done in stranger.done.items() if done.code != 0}
    assert failed == {}
    assert (stranger.results / "html" / "index.html").is_file()
    argv = ["git", "status", "--porcelain"]
    status = subprocess.run(argv, cwd=stranger.folder, capture_output=True, text=True).stdout
    assert status == "", "a stranger's clone stays clean"


def test_pages_are_served(stranger: Stranger) -> None:
    assert "asv preview" in README_COMMANDS
    _preview(stranger)


def _preview(stranger: Stranger) -> None:
    """Serve the pages on loopback, fetch one, stop."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    argv = ["asv", "preview", "--port", str(port)]
    server = subprocess.Popen(
        argv, cwd=stranger.folder, env=stranger.env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
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
