"""The controller's end: start an agent, send instructions, read its events."""

from __future__ import annotations

import functools
import os
import selectors
import shutil
import subprocess
import sys
from pathlib import Path

from harness import instructions
from harness.errors import AgentError
from harness.instructions import Instruction

_CHUNK = 1 << 18
_NAMESPACE = ("unshare", "--user", "--map-root-user", "--pid", "--fork", "--mount-proc", "--kill-child")


@functools.cache
def isolation(networked: bool = False) -> tuple[str, ...]:
    """The command that gives the agent namespaces of its own, or nothing where the kernel forbids it.

    For user, mount and pid; with ``networked``, for the network too.
    """
    if shutil.which("unshare") is None:
        return ()
    command = (*_NAMESPACE, *(["--net"] if networked else []), "--")
    allowed = subprocess.run([*command, "true"], capture_output=True, timeout=10).returncode == 0
    return command if allowed else ()


class AgentProcess:
    """A running agent. Use as a context manager; leaving it ends the agent and all it started.

    With ``networked`` it can make a pocket cluster; AgentError where namespaces for that are forbidden.
    """

    def __init__(self, arm: str, log: Path, networked: bool = False) -> None:
        namespaces = isolation(networked)
        if networked and not namespaces:
            raise AgentError("network namespaces cannot be made here; see harness doctor")
        with open(log, "ab") as errors:
            self._process = subprocess.Popen(
                [*namespaces, sys.executable, "-m", "harness.agent", arm],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                start_new_session=True,
            )
        assert self._process.stdin is not None and self._process.stdout is not None
        self._stdin, self._out = self._process.stdin, self._process.stdout.fileno()
        self._selector = selectors.DefaultSelector()
        self._selector.register(self._out, selectors.EVENT_READ)
        self._rest = b""
        self.ended = False

    def __enter__(self) -> AgentProcess:
        return self

    def __exit__(self, *_: object) -> None:
        self.end()

    def end(self) -> None:
        """Close its input, which ends it, and wait until it is gone."""
        if not self._stdin.closed:
            try:
                self._stdin.close()
            except BrokenPipeError:
                pass
        try:
            self._process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._selector.close()
        if self._process.stdout is not None:
            self._process.stdout.close()

    def send(self, instruction: Instruction) -> None:
        """Send one instruction; AgentError when the agent is gone."""
        try:
            self._stdin.write(instructions.encode(instruction))
            self._stdin.flush()
        except (BrokenPipeError, ValueError) as error:
            raise AgentError(f"the agent is gone (exit status {self._process.poll()})") from error

    def read(self, timeout: float | None) -> bytes:
        """Whole lines of events, as many as are there; b"" after ``timeout`` seconds or at the end (``ended``)."""
        if not self._selector.select(timeout):
            return b""
        chunk = os.read(self._out, _CHUNK)
        if not chunk:
            self.ended = True
            return b""
        whole, newline, self._rest = (self._rest + chunk).rpartition(b"\n")
        return whole + newline
