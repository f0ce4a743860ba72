"""What the kernel is asked to do for processes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from harness.base.process import answer, die_with_parent

PARENT = """
import subprocess, sys
from harness.base.process import die_with_parent
child = subprocess.Popen(["sleep", "600"], preexec_fn=die_with_parent)
print(child.pid, flush=True)
sys.stdin.read()
"""


def test_a_child_dies_with_its_parent() -> None:
    parent = subprocess.Popen([sys.executable, "-c", PARENT], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert parent.stdout is not None and parent.stdin is not None
    pid = int(parent.stdout.readline())
    waiter = subprocess.Popen(["tail", "--pid", str(pid), "-s", "0.02", "-f", "/dev/null"])
    parent.kill()
    parent.communicate()
    assert waiter.wait(timeout=10) == 0


def test_signals_that_the_parent_ignores_end_the_child() -> None:
    before = signal.signal(signal.SIGTERM, signal.SIG_IGN)
    try:
        child = subprocess.Popen(["sleep", "600"], preexec_fn=die_with_parent)
    finally:
        signal.signal(signal.SIGTERM, before)
    child.terminate()
    assert child.wait(timeout=10) == -signal.SIGTERM


def test_what_a_wrapper_started_ends_with_it(tmp_path: Path) -> None:
    pid = tmp_path / "pid"
    with pytest.raises(subprocess.TimeoutExpired):
        answer(["sh", "-c", f"sleep 600 & echo $! > {pid}; wait"], 1.0, {"PATH": os.environ["PATH"]})
    until = time.monotonic() + 10
    while (is_alive := _is_alive(int(pid.read_text()))) and time.monotonic() < until:
        time.sleep(0.02)
    assert not is_alive


def _is_alive(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def test_an_answer_has_status_and_both_streams() -> None:
    done = answer(["sh", "-c", "read line; echo $line $A; echo no >&2; exit 3"], 10.0, {"A": "b"}, given="a\n")
    assert (done.returncode, done.stdout, done.stderr) == (3, "a b\n", "no\n")
