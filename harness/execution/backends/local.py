"""Agents on this machine: a child process with pipes, which shares our clock, files and loopback."""

from __future__ import annotations

import functools
import os
import selectors
import shutil
import socket
import subprocess
from contextlib import ExitStack, suppress
from pathlib import Path

from harness.agent.wire import straight
from harness.base.errors import AgentError
from harness.base.outlet import Outlet
from harness.base.process import die_with_parent, module
from harness.execution.backends.base import same_version
from harness.targets.environment import cache_folder
from harness.vocabulary import instructions
from harness.vocabulary.instructions import Instruction

_CHUNK = 1 << 18
PATIENCE_SECONDS = 60.0
"""An agent that has taken no instruction for so long, with its pipe full, never will."""

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


def wire_library() -> tuple[Path | None, str]:
    """The compiled part of the wire, and what became of it in words: without a C compiler there is none."""
    try:
        return straight.library(cache_folder().parent / "wire"), "compiled"
    except (RuntimeError, OSError) as error:
        return None, f"not compiled, packets cost more: {error}"


class LocalBackend:
    """Agents that work in ``folder``."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder.absolute()

    @property
    def isolated(self) -> bool:
        return bool(isolation())

    @property
    def networked(self) -> bool:
        return bool(isolation(networked=True))

    @property
    def wire(self) -> str:
        return wire_library()[1]

    def open(self, arm: str, networked: bool) -> LocalAgent:
        """Start an agent; its complaints go to ``logs/ARM/agent.log``."""
        return LocalAgent(arm, self._folder, networked)


class LocalAgent:
    """An agent that is our child. AgentError where namespaces for a pocket cluster are asked for and forbidden."""

    clock_offset = 0.0

    def __init__(self, arm: str, folder: Path, networked: bool = False) -> None:
        namespaces = isolation(networked)
        if networked and not namespaces:
            raise AgentError("network namespaces cannot be made here; see harness doctor")
        library = wire_library()[0] if networked else None
        log = folder / "logs" / arm / "agent.log"
        log.parent.mkdir(parents=True, exist_ok=True)
        with open(log, "ab") as errors:
            self._process = subprocess.Popen(
                [*namespaces, *module("harness.agent", arm)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                env={**os.environ, straight.LIBRARY_VARIABLE: str(library or "")},
                start_new_session=True,
                preexec_fn=die_with_parent if namespaces else None,  # what is in them dies with it, stopped or not
            )
        assert self._process.stdin is not None and self._process.stdout is not None
        self._folder = folder
        self._stdin, self._out = self._process.stdin, self._process.stdout.fileno()
        self._to_agent = Outlet(self._stdin.fileno(), "the agent", PATIENCE_SECONDS)
        self._selector = selectors.DefaultSelector()
        self._selector.register(self._out, selectors.EVENT_READ)
        self._rest = b""
        self._greeted = False
        self.ended = False

    def __enter__(self) -> LocalAgent:
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
        try:
            self._to_agent.write(instructions.encode(instruction))
        except (BrokenPipeError, ValueError) as error:
            raise AgentError(f"the agent is gone (exit status {self._process.poll()})") from error

    def read(self, timeout: float | None) -> bytes:
        if not self._readable(timeout):
            return b""
        chunk = os.read(self._out, _CHUNK)
        if not chunk:
            self.ended = True
            return b""
        whole, newline, self._rest = (self._rest + chunk).rpartition(b"\n")
        return self._after_greeting(whole + newline)

    def _readable(self, timeout: float | None) -> bool:
        """Wait for events, and write on meanwhile what the agent has not taken yet."""
        registered = self._to_agent.descriptor in self._selector.get_map()
        if self._to_agent.backlog and not registered:
            self._selector.register(self._to_agent.descriptor, selectors.EVENT_WRITE)
        elif registered and not self._to_agent.backlog:
            self._selector.unregister(self._to_agent.descriptor)
        ready = [key.fd for key, _ in self._selector.select(timeout)]
        if self._to_agent.descriptor in ready:
            with suppress(BrokenPipeError):
                self._to_agent.flush()
        self._to_agent.check()
        return self._out in ready

    def _after_greeting(self, lines: bytes) -> bytes:
        """Its first line is no event."""
        if self._greeted or not lines:
            return lines
        greeting, _, lines = lines.partition(b"\n")
        same_version(greeting)
        self._greeted = True
        return lines

    def put(self, name: str, data: bytes) -> str:
        """What is there already, as the run folder's own files are, is not written again."""
        path = self._folder / name
        if not path.is_file():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        return str(path)

    def get(self, name: str, last: int | None = None) -> bytes:
        path = self._folder / name
        if not path.is_file():
            return b""
        with open(path, "rb") as file:
            if last is not None:
                file.seek(max(0, path.stat().st_size - last))
            return file.read()

    def path(self, name: str) -> str:
        return str(self._folder / name)

    def free_ports(self, count: int) -> list[int]:
        with ExitStack() as held:
            probes = [held.enter_context(socket.socket()) for _ in range(count)]
            for probe in probes:
                probe.bind(("", 0))
            return sorted(int(probe.getsockname()[1]) for probe in probes)
