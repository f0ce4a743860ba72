"""Nobody of controller, agent, wire and workers waits for ever for one who does not read."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from harness.base.process import module
from harness.execution import machine
from harness.execution.backends.local import LocalBackend
from harness.vocabulary import events
from harness.vocabulary.instructions import Connect, Direction, Host, Spawn, Survey

FREE = Direction(None, 0.0, 0.0, 1000)
HOSTS = tuple(Host(f"host-{number}", f"10.77.0.{number}", FREE, FREE) for number in range(1, 31))
SURVEYS = 2000
ENV = {"PATH": os.environ["PATH"]}
needs_hosts = pytest.mark.skipif(
    not (machine.namespaces().there and machine.tun().there), reason="no user namespaces or no /dev/net/tun here"
)


@needs_hosts
def test_agent_and_wire_write_to_each_other_while_nobody_reads(tmp_path: Path) -> None:
    """Each survey of 30 hosts is 5 kB for the wire to tell: 10 MB, against instructions that go on coming."""
    with LocalBackend(tmp_path).open("main", networked=True) as agent:
        agent.send(Connect("", HOSTS, 9000, 1))
        for _ in range(SURVEYS):
            agent.send(Survey(""))
        told, until = 0, time.monotonic() + 120
        while told < SURVEYS * len(HOSTS) and time.monotonic() < until:
            told += agent.read(1.0).count(b'"kind":"traffic"')
        assert told == SURVEYS * len(HOSTS)


CONTROLLER = """
import sys, time
from pathlib import Path
from harness.execution.backends.local import LocalBackend
from harness.vocabulary.instructions import Connect, Survey
from tests.agent.test_floods import HOSTS, SURVEYS
with LocalBackend(Path(sys.argv[1])).open("main", networked=True) as agent:
    agent.send(Connect("", HOSTS, 9000, 1))
    for _ in range(SURVEYS):
        agent.send(Survey(""))
    print("flooded", flush=True)
    time.sleep(600)
"""


@needs_hosts
def test_neither_outlives_a_controller_that_was_killed_in_a_flood(tmp_path: Path) -> None:
    argv = [sys.executable, "-c", CONTROLLER, str(tmp_path)]
    with subprocess.Popen(argv, stdout=subprocess.PIPE) as controller:
        assert controller.stdout is not None and controller.stdout.readline() == b"flooded\n"
        time.sleep(0.5)
        left = psutil.Process(controller.pid).children(recursive=True)
        assert len(left) >= 2
        controller.kill()
    _, alive = psutil.wait_procs(left, timeout=10)
    assert alive == []


def test_a_process_that_writes_without_end_does_not_stop_instructions(tmp_path: Path) -> None:
    """20 MB of events that the controller does not read, then a signal that it sends all the same."""
    line = '{"t":1.0,"arm":"main","subject":"worker/0","kind":"progress","step":%d}'
    script = "import os; fd = int(os.environ['HARNESS_EVENTS_FD'])\nfor step in range(200000):\n"
    script += f"    os.write(fd, ({line!r} % step + chr(10)).encode())\n"
    with LocalBackend(tmp_path).open("main", networked=False) as agent:
        agent.send(Spawn("worker/0", (sys.executable, "-c", script), ENV, str(tmp_path), str(tmp_path / "log")))
        time.sleep(1.0)
        for _ in range(1000):
            agent.send(Survey(""))
        heard, until = [], time.monotonic() + 60
        while time.monotonic() < until and (not heard or not isinstance(heard[-1], events.Exited)):
            heard += [events.decode(text) for text in agent.read(1.0).splitlines()]
        steps = [event.step for event in heard if isinstance(event, events.Progress)]
        assert steps == list(range(200_000))


def test_the_working_directory_is_not_executed(tmp_path: Path) -> None:
    (tmp_path / "selectors.py").write_text("open('executed', 'w')\n")
    (tmp_path / "runpy.py").write_text("open('executed', 'w')\n")
    argv = module("harness.agent", "main")
    done = subprocess.run(argv, cwd=tmp_path, input="", capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert '"version"' in done.stdout
    assert not (tmp_path / "executed").exists()
