"""What the kernel is asked to do for processes."""

from __future__ import annotations

import signal
import subprocess
import sys

from harness.base.process import die_with_parent

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
