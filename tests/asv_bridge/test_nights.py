"""asv beside a night: whatever ends the harness ends it, and the server that it started."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

SLOW = """
import os, pathlib, time
def track_nothing():
    pathlib.Path({!r}).write_text(str(os.getpid()))
    time.sleep(600)
"""
CALL = """
import os, sys
from pathlib import Path
from harness.asv_bridge import nights
run = ["run", "--launch-method", "forkserver", "--python", "same", "--quick"]
nights._asv(run, Path(sys.argv[1]), dict(os.environ))
"""


def _project(folder: Path, started: Path) -> Path:
    (folder / "benchmarks").mkdir()
    (folder / "benchmarks" / "__init__.py").touch()
    (folder / "benchmarks" / "slow.py").write_text(SLOW.format(str(started)))
    conf = folder / "asv.conf.json"
    conf.write_text(json.dumps({"version": 1, "project": "slow", "repo": ".", "environment_type": "existing"}))
    author = ["-c", "user.name=n", "-c", "user.email=n@example.org"]
    for arguments in (["init", "--quiet"], ["add", "."], [*author, "commit", "--quiet", "-m", "a"]):
        subprocess.run(["git", *arguments], cwd=folder, check=True)
    asv = [sys.executable, "-m", "asv", "machine", "--yes", "--config", str(conf)]
    subprocess.run(asv, cwd=folder, check=True, capture_output=True)
    return conf


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_nothing_of_asv_outlives_the_harness(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: signal.Signals
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    project, started = tmp_path / "project", tmp_path / "started"
    project.mkdir()
    conf = _project(project, started)
    with subprocess.Popen([sys.executable, "-c", CALL, str(conf)], cwd=project, stderr=subprocess.DEVNULL) as process:
        while not started.is_file():
            assert process.poll() is None
            time.sleep(0.05)
        children = psutil.Process(process.pid).children(recursive=True)
        assert len(children) >= 2
        process.send_signal(number)
    _, alive = psutil.wait_procs(children, timeout=30)
    assert alive == []
