"""Start, watch and end the processes of roles."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from harness.agent import placement
from harness.base.outlet import Outlet
from harness.base.process import die_with_parent, fix_addresses
from harness.vocabulary.instructions import Spawn

COMMAND_SECONDS = 60.0
"""A process that has read none of its commands for so long, with its pipe full, never will."""

_SUFFIX = ".checkpoint"
_CLOCK_SECONDS = 0.1
"""File systems keep times by a coarser clock."""


@dataclass
class Child:
    """A role's process in its ``folder``: ``events`` is what it writes, ``commands`` what it reads.

    ``rest`` is an unfinished line. ``announced`` is the process that runs the role's program, where it has said so:
    what was started may be a wrapper around it. ``announced_group``: its process group, which a wrapper may have made.
    ``processors``: those that it is to keep to once it has imported MXNet; none for all.
    ``own_checkpoints``: a pattern of files, where a user's script writes them, all below ``own_files`` where it has
    files of its own. ``own_disk``: where it writes to a disk of its own. ``since``: when the role was first started.
    ``before``: which of these files were there then, and when they had been written.
    """

    role: str
    folder: Path
    process: subprocess.Popen[bytes]
    events: int
    commands: Outlet
    rest: bytes = b""
    exited: bool = field(default=False)
    announced: int | None = None
    announced_group: int | None = None
    processors: set[int] = field(default_factory=set)
    own_checkpoints: str = ""
    own_files: Path = Path("/")
    own_disk: Path | None = None
    since: float = field(default_factory=time.time)
    before: Mapping[Path, int] = field(default_factory=dict)

    @property
    def pid(self) -> int:
        """The process that runs the role's program."""
        return self.announced or self.process.pid

    @property
    def group(self) -> int:
        """The process group of the role's program."""
        return self.announced_group or self.process.pid

    def announce(self, pid: int) -> None:
        """Take a process for the role's own: only one that has inherited our pipe can say that it is."""
        with suppress(ProcessLookupError):
            group = os.getpgid(pid)
            if group != os.getpgrp():
                self.announced, self.announced_group = pid, group

    @property
    def checkpoints(self) -> Path:
        """The folder of the worker's own checkpoints (`harness/worker/checkpoints.py`)."""
        return self.folder / "checkpoints"

    @property
    def disk(self) -> Path:
        """The one that a fault may fill."""
        return self.own_disk or self.checkpoints

    @property
    def newest_checkpoint(self) -> Path | None:
        """The file of it: the last by name of the worker's own, the last written of a script's, since it started."""
        if self.own_checkpoints:
            return max(filter(self._is_own, _files(self.own_checkpoints)), key=_written, default=None)
        return max(self.checkpoints.glob(f"*{_SUFFIX}"), default=None)

    def _is_own(self, path: Path) -> bool:
        """Whether the role may have written a file; a link of a layer may lead to one of the user's."""
        with suppress(OSError):
            written = path.stat()
            is_new = written.st_mtime > self.since - _CLOCK_SECONDS and written.st_mtime_ns != self.before.get(path)
            return path.is_file() and is_new and path.resolve().is_relative_to(self.own_files.resolve())
        return False

    def command(self, line: bytes) -> None:
        """Write one line; a process that is gone needs none."""
        with suppress(BrokenPipeError):
            self.commands.write(line)

    def place(self) -> None:
        """Let all that was started keep to its processors, from now on."""
        if self.processors:
            placement.keep({self.process.pid, self.pid}, self.processors)
            self.processors = set()

    def signal(self, number: int) -> None:
        """Signal the process and all it started, and what has started it."""
        for group in {self.group, self.process.pid}:
            with suppress(ProcessLookupError):
                os.killpg(group, number)

    def close(self) -> None:
        os.close(self.events)
        os.close(self.commands.descriptor)


def spawn(instruction: Spawn, enter: Sequence[Callable[[], None]] = (), keep: Sequence[int] = ()) -> Child:
    """Start a role in a session of its own; it dies with the agent. OSError when it cannot be started.

    Each of ``enter`` moves it, as onto its host; ``keep`` are more descriptors that it inherits.
    """

    share = instruction.share
    own = placement.processors(share, os.sched_getaffinity(0)) if share is not None else set[int]()

    def prepare() -> None:
        die_with_parent()
        if share is not None:
            fix_addresses()
        for move in enter:
            move()
        os.chdir(instruction.cwd)

    events_read, events_write = os.pipe()
    commands_read, commands_write = os.pipe()
    env = {
        **instruction.env,
        **(placement.environment(share, own) if share is not None else {}),
        "HARNESS_EVENTS_FD": str(events_write),
        "HARNESS_COMMANDS_FD": str(commands_read),
    }
    try:
        with open(instruction.log, "ab") as log:
            process = subprocess.Popen(
                instruction.argv,
                env=env,
                cwd=instruction.cwd,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                pass_fds=(events_write, commands_read, *keep),
                start_new_session=True,
                preexec_fn=prepare,
            )
    except BaseException:
        os.close(events_read)
        os.close(commands_write)
        raise
    finally:
        os.close(events_write)
        os.close(commands_read)
    os.set_blocking(events_read, False)
    commands = Outlet(commands_write, instruction.subject or "the wire", COMMAND_SECONDS)
    return Child(
        instruction.subject,
        Path(instruction.cwd),
        process,
        events_read,
        commands,
        processors=own,
        own_checkpoints=instruction.checkpoints,
        before={path: _written(path)[0] for path in _files(instruction.checkpoints)},
    )


def _files(pattern: str) -> Iterator[Path]:
    """That are there; none where there is no pattern."""
    return Path("/").glob(pattern.lstrip("/")) if pattern else iter(())


def _written(path: Path) -> tuple[int, str]:
    """When, and its name; long ago where it is gone."""
    with suppress(FileNotFoundError):
        return path.stat().st_mtime_ns, path.name
    return 0, path.name
