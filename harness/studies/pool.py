"""Many independent runs, each in a process of its own, as many at a time as leave processors free."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import IO, Any

import psutil

from harness.base.errors import DamagedRunError
from harness.base.process import die_with_parent, module
from harness.execution.interruption import Interruption
from harness.judging.verdict import Verdict

BUSY = 0.75
"""No further run is started while more of the processors is in use: those that measure are not to be disturbed."""

RUNS_A_CORE = 4
_LOOK_SECONDS = 0.5
_SETTLE_SECONDS = 1.5
_GRACE_SECONDS = 10.0


@dataclass(frozen=True)
class Command:
    """A command line of the harness that gives one verdict in JSON; ``key`` tells it from others."""

    key: str
    argv: tuple[str, ...]


@dataclass(frozen=True)
class Finished:
    """A command that is over: its verdict, or why there is none."""

    key: str
    verdict: Verdict | None
    failure: str = ""


class _Process:
    """One command that runs."""

    def __init__(self, command: Command) -> None:
        self._key = command.key
        self._out, self._err = tempfile.TemporaryFile(), tempfile.TemporaryFile()  # noqa: SIM115 (closed by result)
        self.process = subprocess.Popen(
            module("harness", *command.argv),
            stdin=subprocess.DEVNULL,
            stdout=self._out,
            stderr=self._err,
            preexec_fn=lambda: die_with_parent(signal.SIGTERM),  # which it takes as a request to clean up
        )

    def result(self) -> Finished:
        """Its verdict, or the last line of what it complained of."""
        output, complaints = _text(self._out), _text(self._err)
        try:
            return Finished(self._key, Verdict.from_json(json.loads(output)["verdicts"][0]))
        except (ValueError, LookupError, DamagedRunError):
            last = complaints.strip().splitlines()[-1:] or ["it wrote nothing"]
            return Finished(self._key, None, f"exit status {self.process.returncode}: {last[0]}")


def _text(file: IO[Any]) -> str:
    file.seek(0)
    with file:
        return str(file.read().decode(errors="replace"))


def run_all(
    commands: Sequence[Command], most: int | None = None, interruption: Interruption | None = None
) -> Iterator[Finished]:
    """Run every command, and yield each as it finishes; at most ``most`` at a time, else as the machine allows.

    The rest is ended when the caller stops listening, or dies. KeyboardInterrupt once an interruption was noted, before
    what it did to a command can be taken for an answer.
    """
    interruption = interruption or Interruption()
    waiting = list(commands)
    running: list[_Process] = []
    limit = most or RUNS_A_CORE * (os.cpu_count() or 1)
    started = 0.0
    try:
        while waiting or running:
            settled = time.monotonic() - started > _SETTLE_SECONDS
            busy = psutil.cpu_percent(interval=_LOOK_SECONDS) / 100
            if waiting and len(running) < limit and (not running or (settled and busy < BUSY)):
                running.append(_Process(waiting.pop(0)))
                started = time.monotonic()
            over = [process for process in running if process.process.poll() is not None]
            if interruption.signal is not None:
                raise KeyboardInterrupt
            for ended in over:
                running.remove(ended)
                yield ended.result()
    finally:
        _end(running)


def _end(running: Sequence[_Process]) -> None:
    """Ask each to end, so that it cleans up after itself."""
    processes = [command.process for command in running]
    for process in processes:
        process.send_signal(signal.SIGTERM)
    deadline = time.monotonic() + _GRACE_SECONDS
    for process in processes:
        try:
            process.wait(max(0.1, deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
