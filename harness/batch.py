"""Many independent runs, each in a process of its own, as many at a time as leave processors free."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import psutil

from harness.agent.children import die_with_parent

BUSY = 0.75
"""No further run is started while more of the processors is in use: those that measure are not to be disturbed."""

RUNS_A_CORE = 4
_LOOK_SECONDS = 0.5
_SETTLE_SECONDS = 1.5
_GRACE_SECONDS = 10.0


@dataclass(frozen=True)
class Finished:
    """A run that is over: its place in the list, and the JSON form of its verdict, or why there is none."""

    number: int
    verdict: dict[str, Any] | None
    failure: str = ""


class _Process:
    """One ``harness run`` or ``harness replay``."""

    def __init__(self, verb: str, number: int, what: str, options: Sequence[str]) -> None:
        self.number = number
        self._out, self._err = tempfile.TemporaryFile(), tempfile.TemporaryFile()  # noqa: SIM115 (closed by result)
        argv = [sys.executable, "-m", "harness", verb, what, "--json", *options]
        self.process = subprocess.Popen(
            argv,
            stdin=subprocess.DEVNULL,
            stdout=self._out,
            stderr=self._err,
            preexec_fn=lambda: die_with_parent(signal.SIGTERM),  # which it takes as a request to clean up
        )

    def result(self) -> Finished:
        """Its verdict, or the last line of what it complained of."""
        said, complained = (_text(file) for file in (self._out, self._err))
        try:
            return Finished(self.number, json.loads(said)["verdicts"][0])
        except (ValueError, LookupError):
            last = complained.strip().splitlines()[-1:] or ["it said nothing"]
            return Finished(self.number, None, f"exit status {self.process.returncode}: {last[0]}")


def _text(file: Any) -> str:
    file.seek(0)
    with file:
        return str(file.read().decode(errors="replace"))


def run_all(verb: str, what: Sequence[str], options: Sequence[str], most: int | None = None) -> Iterator[Finished]:
    """``run`` every scenario, or ``replay`` every run, and yield each as it finishes.

    Whoever stops listening, Ctrl-C or SIGTERM end the rest.
    """
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    waiting = list(enumerate(what))
    running: list[_Process] = []
    limit = most or RUNS_A_CORE * (os.cpu_count() or 1)
    started = 0.0
    try:
        while waiting or running:
            settled = time.monotonic() - started > _SETTLE_SECONDS
            busy = psutil.cpu_percent(interval=_LOOK_SECONDS) / 100
            if waiting and len(running) < limit and (not running or (settled and busy < BUSY)):
                running.append(_Process(verb, *waiting.pop(0), options))
                started = time.monotonic()
            for one in [one for one in running if one.process.poll() is not None]:
                running.remove(one)
                yield one.result()
    finally:
        _end(running)
        signal.signal(signal.SIGTERM, before)


def _end(running: Sequence[_Process]) -> None:
    """Each cleans up after itself when it is asked to end."""
    for one in running:
        one.process.send_signal(signal.SIGTERM)
    deadline = time.monotonic() + _GRACE_SECONDS
    for one in running:
        try:
            one.process.wait(max(0.1, deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            one.process.kill()
            one.process.wait()
