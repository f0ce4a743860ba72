"""All operators of a target, called one after the other in processes that are replaced when one does not survive.

Each case that began is on disk with what became of it before the next one begins, so that a crash or a hang costs that
case only, and a sweep that was killed goes on where it was.
"""

from __future__ import annotations

import json
import queue
import tempfile
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from harness.base.errors import AgentError, TargetError
from harness.execution import worker_archive
from harness.execution.operator_process import CASE_SECONDS, MOST_BETWEEN, START_SECONDS, Child, DiedError, Pass
from harness.execution.sweep_lines import NOTHING, Begun, became, begun, ended

_SIMPLE = {"op": "dot", "case": "dot", "shapes": [[64, 64], [64, 64]], "kinds": ["normal", "normal"], "params": {}}
_SIMPLEST = {"once": {**_SIMPLE, "variant": "base"}}
"""A call by which it is seen whether a fork computes: of a library for linear algebra, whose threads no fork has."""


@dataclass
class Sweep:
    """Passes over the operators of targets; ``stopped`` ends it between cases."""

    folder: Path
    jobs: int
    stopped: Callable[[], bool] = field(default=lambda: False)
    _forkless: set[tuple[Path, str]] = field(default_factory=set)
    """Interpreters, with their environments, whose forks do not compute: each that hangs is waited for once."""

    def names(self, asked: Pass) -> dict[str, list[str]]:
        """The operators of a target with their other names; TargetError where it does not start."""
        with tempfile.TemporaryDirectory() as scratch:
            child = self._child(asked, scratch)
            try:
                (told,) = child.ask({"list": True}, START_SECONDS)
                return dict(told["names"])
            except (DiedError, ValueError) as error:
                raise TargetError(f"{asked.interpreter.python} lists no operators: {error}; see {self._log}") from error
            finally:
                child.close()

    def run(
        self,
        asked: Pass,
        operators: Sequence[str],
        say: Callable[[int, int], None],
        deadly: Begun = NOTHING,
        forked: bool = False,
    ) -> bool:
        """Sweep what is not on disk yet, so many processes side by side; whether all was swept.

        ``deadly``: cases, with what becomes of a process, that are not called. ``forked``: processes
        are forks of one that has imported MXNet, which is quicker; all of a place begin with the same memory.
        """
        done, before = ended(asked.file), begun(asked.file)
        known = {name: {**deadly.get(name, {}), **before.get(name, {})} for name in operators}
        todo: queue.SimpleQueue[str] = queue.SimpleQueue()
        left = [name for name in operators if name not in done]
        for name in left:
            todo.put(name)
        with open(asked.file, "ab") as file:
            if file.tell():
                file.write(b"\n")  # what a kill or a full disk cut off stays a line of its own
            writer = _Writer(file)
            threads = [
                threading.Thread(target=self._serve, args=(asked, todo, writer, known, forked), daemon=True)
                for _ in range(min(self.jobs, len(left)))
            ]
            for thread in threads:
                thread.start()
            while any(thread.is_alive() for thread in threads):
                say(len(operators) - len(left) + writer.ended, len(operators))
                threads[0].join(1.0) if threads[0].is_alive() else time.sleep(0.2)
        if writer.errors:
            raise AgentError(f"the sweep {asked.name} failed: {writer.errors[0]}; see {self._log}")
        say(len(operators) - len(left) + writer.ended, len(operators))
        return writer.ended == len(left)

    @property
    def _log(self) -> Path:
        return self.folder / "sweep.log"

    def started(self, asked: Pass, scratch: str) -> Child:
        """A process that has imported MXNet; TargetError where there is none, which no call is to blame for."""
        child = self._child(asked, scratch)
        try:
            for _ in child.ask({"list": True}, START_SECONDS):
                pass
        except DiedError as error:
            child.close()
            raise TargetError(
                f"{asked.name}: a process that is to call operators {error.status} as it began"
            ) from error
        return child

    def _forking(self, asked: Pass, scratch: str) -> Child:
        """One whose place forks take; one that has imported MXNet itself where forks do not make the simplest call."""
        key = asked.interpreter.python, json.dumps({**asked.interpreter.env, **asked.env}, sort_keys=True)
        if key in self._forkless:
            return self.started(asked, scratch)
        child = self._child(asked, scratch, True)
        try:
            (told,) = child.ask(_SIMPLEST, START_SECONDS)
        except (DiedError, AgentError, ValueError):
            told = {"status": "ended"}
        if told["status"] == "ok":
            return child
        self._forkless.add(key)
        child.close()
        return self.started(asked, scratch)

    def _child(self, asked: Pass, scratch: str, forked: bool = False) -> Child:
        archive = self.folder / "worker.pyz"
        if not archive.exists():
            archive.write_bytes(worker_archive.build())
        return Child(asked, archive.absolute(), self._log, scratch, forked)

    def _serve(self, asked: Pass, todo: queue.SimpleQueue[str], writer: _Writer, known: Begun, forked: bool) -> None:
        """One place in the row: operators from the queue, by a child that is replaced when it dies."""
        child: Child | None = None
        with tempfile.TemporaryDirectory() as scratch:
            try:
                while not self.stopped():
                    try:
                        name = todo.get_nowait()
                    except queue.Empty:
                        return
                    cases, through = _Cases(name, dict(known.get(name, {}))), False
                    while not through and not self.stopped():
                        child = child or (self._forking(asked, scratch) if forked else self.started(asked, scratch))
                        forked = child.followed
                        try:
                            through, died = _operator(child, cases, writer)
                            is_over = died and not child.make_way()
                        except AgentError:  # the one that forks is gone; from here on none does
                            is_over, forked = True, False
                        if is_over:
                            child.close()
                            child = None
            except Exception as error:  # told by who started this thread
                writer.errors.append(f"{type(error).__name__}: {error}")
            finally:
                if child is not None:
                    child.close()


class _Writer:
    """Lines of several threads into one file."""

    def __init__(self, file: Any) -> None:
        self._file, self._lock = file, threading.Lock()
        self.ended = 0
        self.errors: list[str] = []

    def write(self, line: Mapping[str, Any]) -> None:
        with self._lock:
            self._file.write(json.dumps(line).encode() + b"\n")
            self._file.flush()
            self.ended += "end" in line


@dataclass
class _Cases:
    """An operator's, with what became of those that are known; ``between``: processes that ended between two."""

    op: str
    known: dict[str, str]
    between: int = 0


def _operator(child: Child, cases: _Cases, writer: _Writer) -> tuple[bool, bool]:
    """Ask for an operator; whether it is through, and whether the process is.

    What ended the process is written down as what became of that case, also where it had its answer, and up to the next
    one's beginning: what a call did to memory may show once it is over.
    """
    case, made = "", dict[str, Any]()
    try:
        for told in child.ask({"op": cases.op, "known": cases.known}, CASE_SECONDS):
            if "begin" in told:
                case, made = told.pop("begin"), told
                continue
            if "case" in told:
                cases.known[told["case"]] = became(told)
                child.last = {**made, "case": case, "op": cases.op}
            writer.write(told)
        return True, False
    except DiedError as died:
        cases.between += not case or case in cases.known
        to_blame = {**made, "case": case, "op": cases.op} if case else child.last
        if case:
            cases.known.setdefault(case, died.status)
        if to_blame:
            writer.write({**to_blame, "status": died.status, "signal": died.signal})
        through = cases.between > MOST_BETWEEN
        if through:
            writer.write({"end": cases.op, "unswept": str(died)})
        return through, True
