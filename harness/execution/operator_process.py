"""A process that calls operators of a target, from its first word to its end."""

from __future__ import annotations

import json
import os
import resource
import selectors
import signal
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness.base.errors import AgentError
from harness.base.process import die_with_parent
from harness.execution import worker_archive
from harness.execution.sweep_lines import parsed
from harness.targets import inherited
from harness.targets.interpreter import Interpreter
from harness.worker.operators.succession import FOLLOWED, NEXT

CASE_SECONDS = 10.0
"""A case that takes longer hangs: most take a thousandth."""

MOST_BETWEEN = 2
"""Of one operator: processes that may end between cases before it is given up. Another's call may be to blame once."""

START_SECONDS = 60.0

MEMORY_BYTES = 16 << 30
"""Of addresses for each process, so that a case that asks for all memory is refused, and the machine lives."""

_MAIN = "import sys; sys.path.insert(0, sys.argv[1]); from {}.operators.main import main; main()"


@dataclass(frozen=True)
class Pass:
    """One sweep: an interpreter, variables of its environment, and the file that its cases go to."""

    name: str
    interpreter: Interpreter
    env: Mapping[str, str]
    file: Path


class DiedError(Exception):
    """The process did not survive a case: ``status`` is crashed or hung."""

    def __init__(self, status: str, signal_: int | None) -> None:
        super().__init__(status)
        self.status, self.signal = status, signal_


class Child:
    """A process of the target that answers lines of JSON by lines of JSON; ``followed`` by another one once it ends."""

    def __init__(self, asked: Pass, archive: Path, log: Path, folder: str, followed: bool = False) -> None:
        env = {**inherited.of_shell(), "OMP_NUM_THREADS": "1", **asked.interpreter.env, **asked.env}
        argv = [str(asked.interpreter.python), "-c", _MAIN.format(worker_archive.PACKAGE), str(archive)]
        argv += [FOLLOWED] if followed else []
        with open(log, "ab") as sink:
            self._process = subprocess.Popen(
                argv,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=sink,
                env=env,
                cwd=folder,
                preexec_fn=_limited,
                start_new_session=True,  # a Ctrl-C that ends it would pass for what the operator did
            )
        assert self._process.stdin is not None and self._process.stdout is not None
        self._in, self._out = self._process.stdin, self._process.stdout
        self.last: Mapping[str, Any] | None = None
        """What its last answer was about."""

        self.followed = followed
        self._serves = not followed
        """Whether there is a process that answers."""

        self._has_answered = False
        """Before it has, what a wrapper prints is passed over."""

        self._rest = b""
        self._selector = selectors.DefaultSelector()
        self._selector.register(self._out, selectors.EVENT_READ)

    def ask(self, what: Mapping[str, Any], patience: float) -> Iterator[dict[str, Any]]:
        """Lines up to the answer's last; each within ``patience`` seconds, else `DiedError`."""
        try:
            if not self._serves:
                self._in.write(NEXT)
                self.last = None
            self._in.write(json.dumps(what).encode() + b"\n")
            self._in.flush()
        except BrokenPipeError as error:
            raise self._died() from error
        self._serves = True
        while True:
            told = self._told(time.monotonic() + patience)
            yield told
            if "end" in told or "names" in told:
                return

    def make_way(self) -> bool:
        """Of one that ended, or hangs and is ended: whether another process answers what is asked next."""
        if self.followed and self._serves:
            self._process.send_signal(signal.SIGUSR1)
            with suppress(DiedError):
                while True:
                    self._told(time.monotonic() + START_SECONDS)
        return self.followed and not self._serves

    def _told(self, until: float) -> dict[str, Any]:
        """The next line; ValueError where it is none, but for a greeting, and what a fork did not end writing."""
        while (told := parsed(line := self._line(until))) is None:
            if self._has_answered and not self.followed:
                raise ValueError(f"{line[:80]!r} is no answer")
        self._has_answered = True
        if "died" in told:
            self._serves = False
            raise DiedError("crashed", told["died"] or None)
        return told

    def _line(self, until: float) -> bytes:
        while b"\n" not in self._rest:
            if not self._selector.select(max(0.0, until - time.monotonic())) and not self._selector.select(0):
                raise DiedError("hung", None)  # it answered nothing, also while we were stopped ourselves
            data = os.read(self._out.fileno(), 1 << 16)
            if not data:
                raise self._died()
            self._rest += data
        line, _, self._rest = self._rest.partition(b"\n")
        return line

    def _died(self) -> DiedError:
        code = self._process.wait()
        if self.followed:  # it calls nothing itself
            raise AgentError(f"the process that forks those that call operators ended with exit code {code}")
        return DiedError("crashed", -code if code < 0 else None)

    def close(self) -> None:
        """End it, whatever it does, with whom it forked."""
        if self._process.returncode is None:
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        self._selector.close()
        with suppress(BrokenPipeError):  # what it was asked when it had ended already
            self._in.close()
        self._out.close()


def _limited() -> None:
    die_with_parent(signal.SIGKILL)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
