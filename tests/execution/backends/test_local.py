"""A real agent and real processes, without MXNet."""

from __future__ import annotations

import os
import signal
import socket
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import psutil
import pytest

from harness.execution.backends.local import LocalBackend
from harness.faults.slow import Throttled
from harness.vocabulary.events import Exited, Progress, Signalled, Spawned, SpawnFailed, Stack, Waiting
from harness.vocabulary.instructions import Act, Credit, Shutdown, Signal, Snapshot, Spawn, Undo
from tests.agent.listening import Listener

WORKER = """
import json, os
events, credit = int(os.environ["HARNESS_EVENTS_FD"]), os.fdopen(int(os.environ["HARNESS_COMMANDS_FD"]))
def emit(kind, step):
    line = {"t": 0.0, "arm": "main", "subject": "worker/0", "kind": kind, "step": step}
    os.write(events, json.dumps(line).encode() + b"\\n")
emit("waiting", 0)
emit("progress", json.loads(credit.readline())["until"])
"""


class Session(Listener):
    """An agent and what it said."""

    def spawn(self, *argv: str) -> None:
        env = {"PATH": os.environ["PATH"]}
        self.agent.send(Spawn("worker/0", argv, env, str(self.folder), str(self.folder / "log")))


@pytest.fixture(params=["namespace", "plain"])
def session(tmp_path: Path, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[Session]:
    if request.param == "plain":
        monkeypatch.setattr("harness.execution.backends.local.isolation", lambda networked: ())
    with LocalBackend(tmp_path).open("main", networked=False) as agent:
        yield Session(agent, tmp_path)
    assert (tmp_path / "logs" / "main" / "agent.log").read_text() == ""


def test_events_come_out_and_credit_goes_in(session: Session) -> None:
    session.spawn(sys.executable, "-c", WORKER)
    assert isinstance(session.until(Waiting), Waiting)
    session.agent.send(Credit("worker/0", 50))
    progress = session.until(Progress)
    assert isinstance(progress, Progress) and progress.step == 50
    exited = session.until(Exited)
    assert isinstance(exited, Exited) and (exited.status, exited.signal) == (0, None)


def test_output_goes_to_the_log_and_the_exit_status_is_told(session: Session) -> None:
    session.spawn("sh", "-c", "echo out; echo err >&2; exit 7")
    exited = session.until(Exited)
    assert isinstance(exited, Exited) and exited.status == 7
    assert (session.folder / "log").read_text() == "out\nerr\n"


def test_what_cannot_be_started_is_told(session: Session) -> None:
    session.spawn("/no/such/python")
    failed = session.until(SpawnFailed)
    assert isinstance(failed, SpawnFailed)
    assert failed.reason == "/no/such/python: No such file or directory"


def test_signals_come_with_the_state_before_and_after(session: Session) -> None:
    session.spawn("sleep", "60")
    session.until(Spawned)
    for signal_name, before, after in (("STOP", "SDR", "T"), ("CONT", "T", "SRD"), ("KILL", "SDR", "Z")):
        session.agent.send(Signal("worker/0", signal_name, 3))  # type: ignore[arg-type]
        report = session.until(Signalled)
        assert isinstance(report, Signalled)
        assert (report.fault, report.signal) == (3, signal_name)
        assert report.before in before and report.after in after
    exited = session.until(Exited)
    assert isinstance(exited, Exited) and exited.signal == 9
    session.agent.send(Signal("worker/0", "KILL", 0))
    late = session.until(Signalled)
    assert isinstance(late, Signalled) and (late.before, late.after) == ("", "")


@pytest.mark.alone
def test_a_throttle_reports_what_it_withheld(session: Session) -> None:
    session.spawn(sys.executable, "-c", "while True: pass")
    session.until(Spawned)
    session.agent.send(Act("worker/0", 0, "slow", {"factor": 3.0}))
    time.sleep(1.0)
    session.agent.send(Undo("worker/0", 0))
    report = session.until(Throttled)
    assert isinstance(report, Throttled)
    assert report.elapsed / (report.elapsed - report.stopped) == pytest.approx(3.0, rel=0.1)
    assert report.cycles > 10 and report.witnessed >= report.cycles - 1


def test_stacks_of_a_running_and_of_a_stopped_process(session: Session) -> None:
    session.spawn(sys.executable, "-c", "import time\ndef wait_here(): time.sleep(60)\nwait_here()")
    session.until(Spawned)
    time.sleep(0.5)
    for stopped in (False, True):
        if stopped:
            session.agent.send(Signal("worker/0", "STOP", 0))
        session.agent.send(Snapshot("worker/0"))
        stack = session.until(Stack)
        assert isinstance(stack, Stack)
        assert "wait_here" in stack.text


def test_shutdown_ends_who_listens_and_kills_who_does_not(session: Session) -> None:
    session.spawn("sh", "-c", "trap '' TERM; while true; do sleep 0.1; done")
    session.until(Spawned)
    time.sleep(0.2)
    session.agent.send(Shutdown("", 0.5))
    exited = session.until(Exited)
    assert isinstance(exited, Exited) and exited.signal == 9


def _alive(marker: str) -> list[int]:
    pids = []
    for process in psutil.process_iter(["cmdline", "status"]):
        if marker in " ".join(process.info["cmdline"] or []) and process.info["status"] != psutil.STATUS_ZOMBIE:
            pids.append(process.pid)
    return pids


def _wait_for(condition: Callable[[], bool], seconds: float) -> bool:
    until = time.monotonic() + seconds
    while not condition() and time.monotonic() < until:
        time.sleep(0.02)
    return condition()


@pytest.mark.parametrize("victim", ["agent", "its input"])
def test_nothing_outlives_the_agent(session: Session, victim: str) -> None:
    marker = f"marker-{os.getpid()}-{time.monotonic_ns()}"
    session.spawn(sys.executable, "-c", f"import time; time.sleep(600)  # {marker}")
    session.until(Spawned)
    assert _wait_for(lambda: len(_alive(marker)) == 1, 5)
    if victim == "agent":
        os.kill(session.agent._process.pid, signal.SIGKILL)
    else:
        session.agent._stdin.close()
    assert _wait_for(lambda: _alive(marker) == [], 2)


def test_free_ports_rise_and_can_be_bound(session: Session) -> None:
    ports = session.agent.free_ports(12)
    assert ports == sorted(set(ports))
    with ExitStack() as held:
        for port in ports:
            held.enter_context(socket.socket()).bind(("127.0.0.1", port))
