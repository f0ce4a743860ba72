"""What the kernel is asked to do for processes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import psutil
import pytest

from harness.base import process
from harness.base.process import answer, can_fix_addresses, die_with_parent, stop_answers

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


@pytest.mark.parametrize("then", ["wait", "exit 0"])
def test_what_a_wrapper_started_ends_with_it(tmp_path: Path, then: str) -> None:
    pid = tmp_path / "pid"
    with pytest.raises(subprocess.TimeoutExpired):
        answer(["sh", "-c", f"sleep 600 & echo $! > {pid}; {then}"], 1.0, {"PATH": os.environ["PATH"]})
    assert _ends(int(pid.read_text()))


def test_a_request_to_stop_ends_what_is_waited_for() -> None:
    """A signal that is noted only: what hangs kept us for two minutes."""
    timer = threading.Timer(0.5, stop_answers)
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        answer(["sleep", "600"], 60.0, {"PATH": os.environ["PATH"]})
    timer.join()


def _ends(pid: int) -> bool:
    until = time.monotonic() + 10
    while (is_alive := _is_alive(pid)) and time.monotonic() < until:
        time.sleep(0.02)
    return not is_alive


def _is_alive(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def test_an_answer_has_status_and_both_streams() -> None:
    done = answer(["sh", "-c", "read line; echo $line $A; echo no >&2; exit 3"], 10.0, {"A": "b"}, given="a\n")
    assert (done.returncode, done.stdout, done.stderr) == (3, "a b\n", "no\n")


def test_whether_addresses_can_be_fixed_is_found_out_without_doing_it() -> None:
    before = Path("/proc/self/personality").read_text()
    assert can_fix_addresses() in (True, False)
    assert Path("/proc/self/personality").read_text() == before


@pytest.mark.parametrize("refused", [(0xFFFFFFFF,), (0x0040000,)])
def test_where_the_kernel_refuses_to_tell_or_to_fix_they_are_not(
    monkeypatch: pytest.MonkeyPatch, refused: tuple[int, ...]
) -> None:
    asked = []
    monkeypatch.setattr(process, "_OF_MEMORY", ())
    monkeypatch.setattr(process, "_goes_upwards", lambda: False)
    monkeypatch.setattr(process, "_personality", lambda flags: asked.append(flags) or (-1 if flags in refused else 0))
    assert not can_fix_addresses()
    assert asked[-1] in refused


@pytest.mark.parametrize("limit", ["RLIMIT_AS", "RLIMIT_DATA"])
def test_where_memory_is_limited_addresses_are_drawn(limit: str) -> None:
    code = f"""
import resource
from harness.base.process import can_fix_addresses
resource.setrlimit(resource.{limit}, (1 << 40, 1 << 40))
print(can_fix_addresses())
"""
    assert subprocess.check_output([sys.executable, "-c", code], text=True) == "False\n"
