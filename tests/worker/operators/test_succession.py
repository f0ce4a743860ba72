"""Processes that are forked one after the other, as a sweep asks them; of MXNet's operators in `tests/e2e`."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from psutil import Process, wait_procs

from harness.base.errors import AgentError
from harness.execution import worker_archive
from harness.execution.sweep import Child, DiedError, Pass
from harness.targets.interpreter import Interpreter
from harness.worker.operators import succession

SERVES = """
import json, os, signal, sys, time
from .succession import FOLLOWED, follow

def serve():
    calls = 0
    for line in sys.stdin:
        asked, calls = json.loads(line)["op"], calls + 1
        if asked == "dies":
            os.kill(os.getpid(), signal.SIGSEGV)
        if asked == "dies while it answers":
            os.write(1, b'{"case": "one wi')
            os.kill(os.getpid(), signal.SIGABRT)
        if asked == "raises":
            raise RuntimeError("told in the log")
        if asked == "hangs":
            time.sleep(600)
        if asked == "leaves":
            os._exit(3)
        print(json.dumps({"end": asked, "calls": calls, "pid": os.getpid(), "parent": os.getppid()}), flush=True)
        if asked == "dies later":
            os._exit(0)

def main():
    follow(serve) if FOLLOWED in sys.argv[2:] else serve()
"""


@pytest.fixture
def child(tmp_path: Path) -> Iterator[Child]:
    """One whose place others take."""
    with closing(_child(tmp_path, followed=True)) as one:
        yield one


def _child(tmp_path: Path, followed: bool) -> Child:
    package = tmp_path / worker_archive.PACKAGE / "operators"
    package.mkdir(parents=True)
    (package / "main.py").write_text(SERVES)
    (package / "succession.py").write_text(Path(succession.__file__).read_text())
    asked = Pass("from", Interpreter(Path(sys.executable)), {}, tmp_path / "from.jsonl")
    return Child(asked, tmp_path, tmp_path / "log", str(tmp_path), followed)


def _ask(child: Child, op: str, patience: float = 60.0) -> dict[str, Any]:
    (told,) = child.ask({"op": op}, patience)
    return told


def test_one_process_answers_until_it_ends_and_another_one_then(child: Child) -> None:
    first, second = _ask(child, "a"), _ask(child, "b")
    assert (first["calls"], second["calls"], first["pid"]) == (1, 2, second["pid"])
    for how, signal in (("dies", 11), ("dies while it answers", 6), ("raises", None), ("leaves", None)):
        with pytest.raises(DiedError, match="crashed") as died:
            _ask(child, how)
        assert died.value.signal == signal
        assert child.is_followed()
        after = _ask(child, "c")
        assert (after["calls"], after["parent"]) == (1, first["parent"])
        assert after["pid"] != first["pid"]


def test_one_that_hangs_is_ended_and_what_it_said_late_is_nobodys(child: Child) -> None:
    before = _ask(child, "a")
    with pytest.raises(DiedError, match="hung"):
        _ask(child, "hangs", 0.2)
    assert child.is_followed()
    assert _ask(child, "b")["calls"] == 1
    assert not Path(f"/proc/{before['pid']}").exists()


def test_what_a_process_that_had_ended_was_asked_is_not_asked_of_the_next_one(child: Child) -> None:
    """It is to be told of the call before, whose process ended after its answer."""
    child.last = {"op": "before"}
    before = _ask(child, "dies later")
    while Path(f"/proc/{before['pid']}").exists():
        time.sleep(0.01)
    child.last = {"op": "dies later"}
    with pytest.raises(DiedError):
        _ask(child, "b" * 200_000)  # more than a pipe holds
    assert child.last == {"op": "dies later"}
    assert child.is_followed()
    assert _ask(child, "c")["calls"] == 1
    assert child.last is None, "the next one called nothing before"


def test_the_end_of_the_one_that_forks_is_no_operators_and_ends_all(child: Child) -> None:
    told = _ask(child, "a")
    process = Process(told["pid"])
    os.kill(told["parent"], 9)
    wait_procs([process], timeout=60)
    with pytest.raises(AgentError, match="the process that forks those that call operators ended with exit code -9"):
        _ask(child, "b")


def test_one_that_nobody_follows_is_closed_though_it_had_ended_as_it_was_asked(tmp_path: Path) -> None:
    child = _child(tmp_path, followed=False)
    wait_procs([Process(_ask(child, "dies later")["pid"])], timeout=60)
    with pytest.raises(DiedError, match="crashed"):
        _ask(child, "b")
    assert not child.is_followed()
    child.close()
