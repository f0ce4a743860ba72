"""What a real agent does to real processes for faults, and how it undoes that."""

from __future__ import annotations

import os
import socket
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from harness.agent import faults, proc, sockets
from harness.agent.fault_injector import FaultInjector
from harness.base.errors import AgentError
from harness.execution.backends.local import LocalBackend, isolation
from harness.faults.checkpoint_corrupt import Damaged
from harness.faults.cpu_hog import Hogged
from harness.faults.disk_full import Filled
from harness.faults.memory_limit import Limited
from harness.faults.slow import Throttled
from harness.faults.wrong_start import Environment
from harness.vocabulary.events import Closed, Signalled, Spawned, Stack
from harness.vocabulary.instructions import Act, Prepare, Shutdown, Signal, Snapshot, Spawn, Undo
from tests.agent.listening import Listener

ROLE = "worker/0"
SPIN = "while True: pass"


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Listener]:
    with LocalBackend(tmp_path).open("main", networked=False) as agent:
        yield Listener(agent, tmp_path)
    assert (tmp_path / "logs" / "main" / "agent.log").read_text() == ""


class _Broken(faults.Commitment):
    """Fails when it begins, or when it ends."""

    def begin(self) -> None:
        if self.parameters["at"] == "begin":
            raise ValueError("cannot begin")

    def end(self) -> None:
        raise OSError("cannot end")


def test_what_cannot_begin_is_not_ended_and_what_cannot_end_is_an_error(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    child: Any = SimpleNamespace(role=ROLE, pid=os.getpid(), exited=False)
    monkeypatch.setattr(faults, "find", lambda name: _Broken)
    injector = FaultInjector({ROLE: child}, lambda kind, subject, fields: None)
    injector.act(Act(ROLE, 1, "broken", {"at": "begin"}))
    assert "ValueError: cannot begin" in capfd.readouterr().err
    injector.undo(Undo(ROLE, 1))
    injector.act(Act(ROLE, 2, "broken", {"at": "end"}))
    with pytest.raises(AgentError, match="fault 2 on worker/0 cannot be ended"):
        injector.undo(Undo(ROLE, 2))


def _spawn(session: Listener, code: str) -> int:
    env = {"PATH": os.environ["PATH"], "DMLC_NUM_WORKER": "5"}
    session.agent.send(Spawn(ROLE, (sys.executable, "-c", code), env, str(session.folder), str(session.folder / "log")))
    return session.until(Spawned).pid


@pytest.mark.alone
def test_a_hog_burns_and_is_gone(session: Listener) -> None:
    _spawn(session, SPIN)
    session.agent.send(Act(ROLE, 3, "cpu_hog", {"processes": 2}))
    time.sleep(0.5)
    session.agent.send(Undo(ROLE, 3))
    report = session.until(Hogged)
    assert (report.fault, report.processes, report.left) == (3, 2, 0)
    assert report.burnt > 0.05 * report.elapsed


def test_a_limit_is_set_and_lifted(session: Listener) -> None:
    _spawn(session, SPIN)
    session.agent.send(Act(ROLE, 1, "memory_limit", {"bytes": 10**9}))
    limited = session.until(Limited)
    session.agent.send(Undo(ROLE, 1))
    lifted = session.until(Limited)
    assert (limited.after, lifted.before, lifted.after) == (10**9, 10**9, limited.before)
    assert limited.held > 0


def test_the_environment_is_read_from_the_kernel(session: Listener) -> None:
    _spawn(session, SPIN)
    session.agent.send(Act(ROLE, 2, "wrong_start", {"names": ["DMLC_NUM_WORKER", "HOROVOD_SIZE"]}))
    assert session.until(Environment).values == {"DMLC_NUM_WORKER": "5"}


@pytest.mark.alone
def test_a_paused_process_stays_paused_under_a_throttle(session: Listener) -> None:
    _spawn(session, SPIN)
    session.agent.send(Act(ROLE, 6, "slow", {"factor": 2.0}))
    time.sleep(0.2)
    session.agent.send(Signal(ROLE, "STOP", 0))
    stop = session.until(Signalled)
    time.sleep(0.3)
    session.agent.send(Signal(ROLE, "CONT", 0))
    cont = session.until(Signalled)
    assert (stop.after, cont.before) == ("T", "T")
    assert cont.ran - stop.ran < 0.001
    time.sleep(0.2)
    session.agent.send(Undo(ROLE, 6))
    report = session.until(Throttled)
    assert report.elapsed < 0.6  # the pause is not in it
    assert report.state in ("R", "S")


@pytest.mark.skipif(not isolation(), reason="no user namespaces here")
def test_a_disk_of_its_own_is_filled_and_emptied(session: Listener) -> None:
    folder = session.folder / "checkpoints"
    session.agent.send(Prepare("", "disk_full", {"path": str(folder), "size": 2_000_000}))
    _spawn(session, SPIN)
    session.agent.send(Act(ROLE, 4, "disk_full", {}))
    full = session.until(Filled)
    session.agent.send(Undo(ROLE, 4))
    empty = session.until(Filled)
    assert full.before > 1_900_000 and full.after == 0 and empty.after == full.before
    assert list(folder.iterdir()) == []  # the disk was the agent's own


@pytest.mark.parametrize(("how", "size"), [("truncate", 50), ("flip", 100)])
def test_the_newest_checkpoint_is_damaged(session: Listener, how: str, size: int) -> None:
    folder = session.folder / "checkpoints"
    folder.mkdir()
    for name in ("1.checkpoint", "2.checkpoint", "3.checkpoint.part"):
        (folder / name).write_bytes(b"x" * 100)
    _spawn(session, SPIN)
    session.agent.send(Act(ROLE, 5, "checkpoint_corrupt", {"how": how}))
    report = session.until(Damaged)
    assert (report.file, report.size_before, report.size_after) == ("2.checkpoint", 100, size)
    assert report.before != report.after
    assert (folder / "1.checkpoint").read_bytes() == b"x" * 100


def test_a_process_that_was_never_started_is_left_alone(session: Listener) -> None:
    for instruction in (
        Act(ROLE, 1, "cpu_hog", {"processes": 1}),
        Act(ROLE, 1, "slow", {"factor": 2.0}),
        Undo(ROLE, 1),
    ):
        session.agent.send(instruction)
    session.agent.send(Signal(ROLE, "STOP", 0))
    session.agent.send(Shutdown("", 1.0))
    session.until(Closed)


def test_all_is_told_before_the_end_even_when_nobody_is_left(session: Listener) -> None:
    _spawn(session, "")
    session.agent.send(Act(ROLE, 1, "cpu_hog", {"processes": 1}))
    session.agent.send(Undo(ROLE, 1))
    session.agent.send(Shutdown("", 1.0))
    session.until(Closed)


def test_sockets_are_told_with_their_peers() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        with socket.create_connection(("127.0.0.1", port)) as client:
            seen = sockets.of(os.getpid())
            assert f"127.0.0.1:{port} LISTEN" in seen
            assert f"127.0.0.1:{client.getsockname()[1]} > 127.0.0.1:{port} ESTABLISHED" in seen
    assert sockets.of(2**22 - 1) == []


def test_processor_time_is_counted_over_all_threads() -> None:
    before = proc.processor_seconds(os.getpid())[0]
    until = time.process_time() + 0.05
    while time.process_time() < until:
        pass
    assert proc.processor_seconds(os.getpid())[0] - before >= 0.04


def test_stacks_of_a_throttled_process_are_seen(session: Listener) -> None:
    def stack() -> str:
        session.agent.send(Snapshot(ROLE))
        return session.until(Stack).text

    _spawn(session, SPIN)
    while "<module>" not in stack():  # an interpreter that starts runs no module yet
        time.sleep(0.1)
    session.agent.send(Act(ROLE, 1, "slow", {"factor": 4.0}))
    for _ in range(5):
        time.sleep(0.1)
        assert "<module>" in stack()
    session.agent.send(Undo(ROLE, 1))
    report = session.until(Throttled)
    assert report.stopped > 0 and report.state == "R"
