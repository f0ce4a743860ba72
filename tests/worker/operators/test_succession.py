"""Processes that are forked one after the other, as a sweep asks them; of MXNet's operators in `tests/e2e`."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from psutil import STATUS_ZOMBIE, NoSuchProcess, Process, wait_procs

from harness.base.errors import AgentError
from harness.execution import worker_archive
from harness.execution.operator_process import Child, DiedError, Pass
from harness.execution.sweep import Sweep
from harness.execution.sweep_lines import read
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
        if asked == "ends all":
            os.kill(os.getppid(), signal.SIGKILL)
            time.sleep(600)
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


def _child(tmp_path: Path, followed: bool, python: str = sys.executable) -> Child:
    package = tmp_path / worker_archive.PACKAGE / "operators"
    package.mkdir(parents=True)
    (package / "main.py").write_text(SERVES)
    (package / "succession.py").write_text(Path(succession.__file__).read_text())
    asked = Pass("from", Interpreter(Path(python)), {}, tmp_path / "from.jsonl")
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
        assert child.make_way()
        after = _ask(child, "c")
        assert (after["calls"], after["parent"]) == (1, first["parent"])
        assert after["pid"] != first["pid"]


def test_one_that_hangs_is_ended_and_what_it_said_late_is_nobodys(child: Child) -> None:
    before = _ask(child, "a")
    with pytest.raises(DiedError, match="hung"):
        _ask(child, "hangs", 0.2)
    assert child.make_way()
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
    assert child.make_way()
    assert _ask(child, "c")["calls"] == 1
    assert child.last is None, "the next one called nothing before"


def test_the_end_of_the_one_that_forks_is_no_operators_and_ends_all(child: Child) -> None:
    process = Process(_ask(child, "a")["pid"])
    with pytest.raises(AgentError, match="the process that forks those that call operators ended with exit code -9"):
        _ask(child, "ends all")
    while not _is_gone(process):
        time.sleep(0.01)


def test_an_answer_that_came_while_we_were_stopped_ourselves_is_one(
    child: Child, monkeypatch: pytest.MonkeyPatch
) -> None:
    select, waited = child._selector.select, list[float]()

    def woken(timeout: float) -> Any:
        waited.append(timeout)
        found = select(60.0)
        return [] if len(waited) == 1 else found

    monkeypatch.setattr(child._selector, "select", woken)
    assert _ask(child, "a")["end"] == "a"
    assert waited == [pytest.approx(60.0, abs=5.0), 0]


@pytest.mark.parametrize("followed", [False, True])
def test_what_a_wrapper_of_python_says_first_is_no_answer(tmp_path: Path, followed: bool) -> None:
    wrapper = tmp_path / "python"
    wrapper.write_text(f'#!/bin/sh\necho welcome\necho 5\nexec {sys.executable} "$@"\n')
    wrapper.chmod(0o755)
    with closing(_child(tmp_path, followed, str(wrapper))) as child:
        assert _ask(child, "a")["end"] == "a"


def _is_gone(process: Process) -> bool:
    try:
        return bool(process.status() == STATUS_ZOMBIE)
    except NoSuchProcess:
        return True


def test_one_that_nobody_follows_is_closed_though_it_had_ended_as_it_was_asked(tmp_path: Path) -> None:
    child = _child(tmp_path, followed=False)
    wait_procs([Process(_ask(child, "dies later")["pid"])], timeout=60)
    with pytest.raises(DiedError, match="crashed"):
        _ask(child, "b")
    assert not child.make_way()
    child.close()


SWEPT = """
import json, os, signal, sys, time
from .succession import FOLLOWED, follow

def say(**told):
    print(json.dumps(told), flush=True)

def serve():
    forked = FOLLOWED in sys.argv[2:]
    for line in sys.stdin:
        asked = json.loads(line)
        if "list" in asked:
            say(names={})
        elif "once" in asked:
            say(end="exp", status=os.environ.get("SIMPLEST", "ok"))
        elif asked["op"] + " base" not in asked["known"]:
            say(begin=asked["op"] + " base")
            if asked["op"] == "dies":
                os.kill(os.getpid(), signal.SIGSEGV)
            if asked["op"] == "ends who forks" and forked:
                os.kill(os.getppid(), signal.SIGKILL)
                time.sleep(600)
            say(case=asked["op"] + " base", op=asked["op"], status="ok", forked=forked, parent=os.getppid())
            say(end=asked["op"])
        else:
            say(end=asked["op"])

def main():
    follow(serve) if FOLLOWED in sys.argv[2:] else serve()
"""


@pytest.fixture
def swept(tmp_path: Path) -> Callable[..., list[dict[str, Any]]]:
    """Lines of a pass by one place, by forks."""
    package = tmp_path / "worker.pyz" / worker_archive.PACKAGE / "operators"
    package.mkdir(parents=True)
    (package / "main.py").write_text(SWEPT)
    (package / "succession.py").write_text(Path(succession.__file__).read_text())

    def run(*operators: str, **env: str) -> list[dict[str, Any]]:
        asked = Pass("from", Interpreter(Path(sys.executable)), env, tmp_path / "from.jsonl")
        assert Sweep(tmp_path, 1).run(asked, operators, lambda done, of: None, forked=True)
        return list(read(asked.file))

    return run


def test_a_sweep_goes_on_with_a_fork_of_the_same_process(swept: Callable[..., list[dict[str, Any]]]) -> None:
    lines = swept("a", "dies", "b")
    assert [line["status"] for line in lines if "case" in line] == ["ok", "crashed", "ok"]
    before, after = (line for line in lines if line.get("forked"))
    assert before["parent"] == after["parent"]
    assert [line["end"] for line in lines if "end" in line] == ["a", "dies", "b"]


def test_where_the_one_that_forks_ends_no_operator_is_to_blame(swept: Callable[..., list[dict[str, Any]]]) -> None:
    lines = swept("a", "ends who forks", "dies", "b")
    told = [(line["op"], line["status"], line.get("forked")) for line in lines if "case" in line]
    assert told == [
        ("a", "ok", True), ("ends who forks", "ok", False), ("dies", "crashed", None), ("b", "ok", False)
    ]  # fmt: skip


def test_nothing_is_forked_where_a_fork_does_not_compute(swept: Callable[..., list[dict[str, Any]]]) -> None:
    assert [line["forked"] for line in swept("a", SIMPLEST="error") if "case" in line] == [False]
