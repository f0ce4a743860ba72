from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from harness.vocabulary import events
from harness.worker.channel import Channel
from tests.conftest import ROOT


@pytest.fixture
def pipes(monkeypatch: pytest.MonkeyPatch) -> tuple[int, int]:
    """The reading end of events and the writing end of credit."""
    events_read, events_write = os.pipe()
    credit_read, credit_write = os.pipe()
    monkeypatch.setenv("HARNESS_EVENTS_FD", str(events_write))
    monkeypatch.setenv("HARNESS_COMMANDS_FD", str(credit_read))
    return events_read, credit_write


def test_events_are_those_that_the_controller_knows(pipes: tuple[int, int]) -> None:
    Channel("main", "worker/1").emit("done", step=7)
    event = events.decode(os.read(pipes[0], 1000))
    assert isinstance(event, events.Done)
    assert (event.arm, event.subject, event.step) == ("main", "worker/1", 7)


def test_credit_is_asked_for_and_taken(pipes: tuple[int, int]) -> None:
    channel = Channel("main", "worker/0")
    os.write(pipes[1], b'{"until": 50}\n{"until": null}\n')
    channel.await_credit(0)
    assert channel.until == 50
    channel.await_credit(50)
    assert channel.until is None
    kinds = [json.loads(line)["kind"] for line in os.read(pipes[0], 1000).splitlines()]
    assert kinds == ["waiting", "waiting"]


def test_what_is_told_at_once_is_one_write_with_its_own_times(pipes: tuple[int, int]) -> None:
    channel = Channel("main", "worker/0")
    os.set_blocking(pipes[0], False)
    with channel.at_once():
        channel.emit("progress", step=1)
        channel.emit("progress", step=2)
        with pytest.raises(BlockingIOError):
            os.read(pipes[0], 1000)
    told = [json.loads(line) for line in os.read(pipes[0], 1000).splitlines()]
    assert [each["step"] for each in told] == [1, 2]
    assert told[0]["t"] <= told[1]["t"]
    channel.emit("progress", step=3)
    assert json.loads(os.read(pipes[0], 1000))["step"] == 3


def test_what_was_held_goes_before_what_another_thread_tells_and_what_ends_a_process(pipes: tuple[int, int]) -> None:
    channel = Channel("main", "worker/0")
    with channel.at_once():
        channel.emit("progress", step=1)
        thread = threading.Thread(target=channel.emit, args=("progress",), kwargs={"step": 2})
        thread.start()
        thread.join()
        assert [json.loads(line)["step"] for line in os.read(pipes[0], 1000).splitlines()] == [1, 2]
        channel.emit("progress", step=3)
        channel.emit("done", step=4)  # as in a handler of a signal that ends the process
        assert [json.loads(line)["step"] for line in os.read(pipes[0], 1000).splitlines()] == [3, 4]


def test_what_was_told_before_an_error_is_not_lost(pipes: tuple[int, int]) -> None:
    channel = Channel("main", "worker/0")
    with pytest.raises(KeyError), channel.at_once():
        channel.emit("progress", step=1)
        raise KeyError("memory")
    assert json.loads(os.read(pipes[0], 1000))["step"] == 1


def test_a_worker_without_a_harness_ends(pipes: tuple[int, int]) -> None:
    channel = Channel("main", "worker/0")
    os.close(pipes[1])
    with pytest.raises(SystemExit, match="the harness is gone"):
        channel.await_credit(0)


def test_a_worker_started_by_hand_has_no_limit(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("HARNESS_EVENTS_FD", raising=False)
    monkeypatch.delenv("HARNESS_COMMANDS_FD", raising=False)
    channel = Channel("main", "worker/0")
    channel.await_credit(0)
    assert channel.until is None
    channel.emit("done", step=1)
    assert '"kind":"done","step":1}' in capfd.readouterr().out


def test_a_heartbeat_only_after_silence(pipes: tuple[int, int], monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr("harness.worker.channel.monotonic", lambda: now[0])
    channel = Channel("main", "worker/0")
    channel.emit("done", step=0)
    os.read(pipes[0], 1000)
    channel.heartbeat(1)
    now[0] += 0.6
    channel.heartbeat(2)
    channel.heartbeat(3)
    lines = os.read(pipes[0], 1000).splitlines()
    assert [json.loads(line)["step"] for line in lines] == [2]


def test_the_interpreter_ends_without_a_word_of_the_channel(tmp_path: Path) -> None:
    """Python 3.9 crashed where it warned of an open file that late."""
    commands = tmp_path / "commands"
    commands.write_text('{"until": null}\n')
    program = "from harness.worker.channel import Channel; import builtins; builtins.kept = Channel('main', 'worker/0')"
    with commands.open() as file:
        env = {**os.environ, "HARNESS_COMMANDS_FD": str(file.fileno())}
        argv = [sys.executable, "-W", "always", "-c", program]
        done = subprocess.run(argv, env=env, pass_fds=[file.fileno()], capture_output=True, text=True, cwd=ROOT)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_process_that_was_forked_says_nothing(pipes: tuple[int, int]) -> None:
    channel = Channel("main", "worker/0")
    child = os.fork()
    if not child:
        channel.emit("done", step=0)
        channel.await_credit(1)
        os._exit(0 if channel.until is None else 1)
    assert os.waitpid(child, 0)[1] == 0
    channel.emit("done", step=7)
    assert [json.loads(line)["step"] for line in os.read(pipes[0], 1000).splitlines()] == [7]


CLOSES = """
import os, sys
from harness.worker.channel import Channel

channel = Channel("main", "worker/0")
os.closerange(3, 300)  # as daemons do: it is not there
channel.emit("done", step=1)
os.close(channel._events)
channel.emit("done", step=2)
with open(sys.argv[1], "wb") as file:
    os.dup2(file.fileno(), channel._events)
    channel.emit("done", step=3)
"""


def test_nothing_is_written_to_what_took_its_descriptors_place(tmp_path: Path) -> None:
    reads, writes = os.pipe()
    env, own = {**os.environ, "HARNESS_EVENTS_FD": str(writes)}, tmp_path / "own"
    subprocess.run([sys.executable, "-c", CLOSES, own], env=env, pass_fds=[writes], check=True, cwd=ROOT)
    assert [json.loads(line)["step"] for line in os.read(reads, 1000).splitlines()] == [1]
    assert own.read_bytes() == b""


def test_credit_is_taken_also_where_a_fault_raises(pipes: tuple[int, int]) -> None:
    """A script may catch what is raised, and go on."""
    channel = Channel("main", "worker/0")

    def begin(number: int) -> None:
        raise RuntimeError(f"fault {number}")

    channel.begin = begin
    os.write(pipes[1], b'{"begin": 3}\n{"until": 20}\n')
    with pytest.raises(RuntimeError, match="fault 3"):
        channel.await_credit(10)
    assert channel.until == 20
