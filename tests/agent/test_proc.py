from __future__ import annotations

import os
import signal
import subprocess

from harness.agent import proc


def test_states_of_a_real_process() -> None:
    sleeper = subprocess.Popen(["sleep", "60"])
    try:
        assert proc.settled(sleeper.pid, frozenset("S")) == "S"
        os.kill(sleeper.pid, signal.SIGSTOP)
        assert proc.settled(sleeper.pid, frozenset("T")) == "T"
        os.kill(sleeper.pid, signal.SIGKILL)
        assert proc.settled(sleeper.pid, frozenset("Z")) == "Z"
    finally:
        sleeper.kill()
        sleeper.wait()
    assert proc.state(sleeper.pid) == ""


def test_waiting_ends_when_the_state_never_comes() -> None:
    assert proc.settled(os.getpid(), frozenset("T"), within=0.01) == "R"
