"""What a real agent does to real processes for faults, and how it undoes that."""

from __future__ import annotations

import os
import socket
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from harness.agent import disk, proc, sockets
from harness.agent.client import AgentProcess, isolation
from harness.events import Closed, Damaged, Environment, Filled, Hogged, Limited, Signalled, Spawned, Throttled
from harness.instructions import (
    Damage,
    Disk,
    Fill,
    Hog,
    Inspect,
    Limit,
    Shutdown,
    Signal,
    Spawn,
    Throttle,
    Unfill,
    Unhog,
    Unthrottle,
)
from tests.agent.listening import Listener

ROLE = "worker/0"
SPIN = "while True: pass"


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Listener]:
    with AgentProcess("main", tmp_path / "agent.log") as agent:
        yield Listener(agent, tmp_path)
    assert (tmp_path / "agent.log").read_text() == ""


def _spawn(session: Listener, code: str) -> int:
    env = {"PATH": os.environ["PATH"], "DMLC_NUM_WORKER": "5"}
    session.agent.send(Spawn(ROLE, (sys.executable, "-c", code), env, str(session.folder), str(session.folder / "log")))
    return session.until(Spawned).pid


def test_a_hog_burns_and_is_gone(session: Listener) -> None:
    _spawn(session, SPIN)
    session.agent.send(Hog(ROLE, 3, 2))
    time.sleep(0.5)
    session.agent.send(Unhog(ROLE, 3))
    told = session.until(Hogged)
    assert (told.fault, told.processes, told.left) == (3, 2, 0)
    assert told.burnt > 0.05 * told.elapsed


def test_a_limit_is_set_and_lifted(session: Listener) -> None:
    _spawn(session, SPIN)
    session.agent.send(Limit(ROLE, 1, 10**9))
    limited = session.until(Limited)
    session.agent.send(Limit(ROLE, 1, None))
    lifted = session.until(Limited)
    assert (limited.after, lifted.before, lifted.after) == (10**9, 10**9, limited.before)
    assert limited.held > 0


def test_the_environment_is_read_from_the_kernel(session: Listener) -> None:
    _spawn(session, SPIN)
    session.agent.send(Inspect(ROLE, 2, ("DMLC_NUM_WORKER", "HOROVOD_SIZE")))
    assert session.until(Environment).values == {"DMLC_NUM_WORKER": "5"}


def test_a_paused_process_stays_paused_under_a_throttle(session: Listener) -> None:
    _spawn(session, SPIN)
    session.agent.send(Throttle(ROLE, 2.0))
    time.sleep(0.2)
    session.agent.send(Signal(ROLE, "STOP"))
    stop = session.until(Signalled)
    time.sleep(0.3)
    session.agent.send(Signal(ROLE, "CONT"))
    cont = session.until(Signalled)
    assert (stop.after, cont.before) == ("T", "T")
    assert cont.ran - stop.ran < 0.001
    time.sleep(0.2)
    session.agent.send(Unthrottle(ROLE))
    told = session.until(Throttled)
    assert told.elapsed < 0.6  # the pause is not in it
    assert told.state in ("R", "S")


@pytest.mark.skipif(not isolation(), reason="no user namespaces here")
def test_a_disk_of_its_own_is_filled_and_emptied(session: Listener) -> None:
    folder = session.folder / disk.FOLDER
    session.agent.send(Disk("", str(folder), 2_000_000))
    _spawn(session, SPIN)
    session.agent.send(Fill(ROLE, 4))
    full = session.until(Filled)
    session.agent.send(Unfill(ROLE, 4))
    empty = session.until(Filled)
    assert full.before > 1_900_000 and full.after == 0 and empty.after == full.before
    assert list(folder.iterdir()) == []  # the disk was the agent's own


@pytest.mark.parametrize(("how", "size"), [("truncate", 50), ("flip", 100)])
def test_the_newest_checkpoint_is_damaged(session: Listener, how: str, size: int) -> None:
    folder = session.folder / disk.FOLDER
    folder.mkdir()
    for name in ("1.checkpoint", "2.checkpoint", "3.checkpoint.part"):
        (folder / name).write_bytes(b"x" * 100)
    _spawn(session, SPIN)
    session.agent.send(Damage(ROLE, 5, how))  # type: ignore[arg-type]
    told = session.until(Damaged)
    assert (told.file, told.size_before, told.size_after) == ("2.checkpoint", 100, size)
    assert told.before != told.after
    assert (folder / "1.checkpoint").read_bytes() == b"x" * 100


def test_a_process_that_was_never_started_is_left_alone(session: Listener) -> None:
    for instruction in (Hog(ROLE, 1, 1), Limit(ROLE, 1, 1), Throttle(ROLE, 2.0), Signal(ROLE, "STOP"), Fill(ROLE, 1)):
        session.agent.send(instruction)
    session.agent.send(Shutdown("", 1.0))
    session.until(Closed)


def test_all_is_told_before_the_end_even_when_nobody_is_left(session: Listener) -> None:
    _spawn(session, "")
    session.agent.send(Hog(ROLE, 1, 1))
    session.agent.send(Unhog(ROLE, 1))
    session.agent.send(Shutdown("", 1.0))
    session.until(Closed)


def test_sockets_are_told_with_their_peers() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        with socket.create_connection(("127.0.0.1", port)) as client:
            found = sockets.of(os.getpid())
            assert f"127.0.0.1:{port} LISTEN" in found
            assert f"127.0.0.1:{client.getsockname()[1]} > 127.0.0.1:{port} ESTABLISHED" in found
    assert sockets.of(2**22 - 1) == []


def test_processor_time_is_counted_over_all_threads() -> None:
    before = proc.processor_seconds(os.getpid())[0]
    until = time.process_time() + 0.05
    while time.process_time() < until:
        pass
    assert proc.processor_seconds(os.getpid())[0] - before >= 0.04
