"""Start, watch and end the processes of roles."""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from harness.instructions import Spawn

_PR_SET_PDEATHSIG = 1
_PR_SET_TIMERSLACK = 29
_libc = ctypes.CDLL(None)


@dataclass
class Child:
    """A role's process in its ``folder``: ``events`` is what it writes, ``credit`` what it reads.

    ``rest`` is an unfinished line.
    """

    role: str
    folder: Path
    process: subprocess.Popen[bytes]
    events: int
    credit: int
    rest: bytes = b""
    exited: bool = field(default=False)

    @property
    def pid(self) -> int:
        return self.process.pid

    def grant(self, line: bytes) -> None:
        """Write one line of credit; a process that is gone needs none."""
        try:
            os.write(self.credit, line)
        except BrokenPipeError:
            pass

    def signal(self, number: int) -> None:
        """Signal the process and all it started."""
        try:
            os.killpg(self.pid, number)
        except ProcessLookupError:
            pass

    def close(self) -> None:
        os.close(self.events)
        os.close(self.credit)


def spawn(instruction: Spawn, enter: Callable[[], None] | None = None, keep: Sequence[int] = ()) -> Child:
    """Start a role in a session of its own; it dies with the agent. OSError when it cannot be started.

    ``enter`` moves it onto its host, ``keep`` are more descriptors that it inherits.
    """

    def prepare() -> None:
        die_with_parent()
        if enter is not None:
            enter()

    events_read, events_write = os.pipe()
    credit_read, credit_write = os.pipe()
    env = {
        **instruction.env,
        "HARNESS_EVENTS_FD": str(events_write),
        "HARNESS_CREDIT_FD": str(credit_read),
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
                pass_fds=(events_write, credit_read, *keep),
                start_new_session=True,
                preexec_fn=prepare,
            )
    except BaseException:
        os.close(events_read)
        os.close(credit_write)
        raise
    finally:
        os.close(events_write)
        os.close(credit_read)
    os.set_blocking(events_read, False)
    return Child(instruction.role, Path(instruction.cwd), process, events_read, credit_write)


def die_with_parent(by: signal.Signals = signal.SIGKILL) -> None:
    """Before exec: the kernel ends this process when its parent dies (prctl(2)), namespace or not.

    Signals that the parent ignores would stay ignored, so they are set back.
    """
    _libc.prctl(_PR_SET_PDEATHSIG, by)
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_DFL)


def tighten_timers() -> None:
    """Wake up when asked, not 50 us later (prctl(2), PR_SET_TIMERSLACK)."""
    _libc.prctl(_PR_SET_TIMERSLACK, 1000)
