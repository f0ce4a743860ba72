"""Care for child processes that Python's subprocess module leaves to the caller (prctl(2))."""

from __future__ import annotations

import ctypes
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress

_PR_SET_PDEATHSIG = 1
_PR_SET_TIMERSLACK = 29
_PR_SET_CHILD_SUBREAPER = 36
_libc = ctypes.CDLL(None)


_RUN = """\
import sys
sys.path[:] = filter(None, sys.path)
import runpy
runpy.run_module({!r}, None, '__main__', True)
"""


def module(name: str, *arguments: str) -> list[str]:
    """The command that runs a module of ours without a look into the working directory, as ``-P`` of Python 3.11.

    What lies there, a ``selectors.py`` say, is a user's and not to be executed.
    """
    return [sys.executable, "-c", _RUN.format(name), *arguments]


def die_with_parent(by: signal.Signals = signal.SIGKILL) -> None:
    """Before exec: let the kernel end this process when its parent dies, namespace or not.

    Signals that the parent ignores would stay ignored, so they are set back.
    """
    _libc.prctl(_PR_SET_PDEATHSIG, by)
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_DFL)


def answer(
    argv: Sequence[str], seconds: float, env: Mapping[str, str], cwd: str = "/", given: str | None = None
) -> subprocess.CompletedProcess[str]:
    """What a command says, as `subprocess.run` has it; where it takes longer, what it started ends with it.

    A wrapper in a shell leaves the Python that it started behind otherwise.
    """
    pipe = subprocess.PIPE
    with subprocess.Popen(
        argv,
        stdin=None if given is None else pipe,
        stdout=pipe,
        stderr=pipe,
        text=True,
        errors="replace",
        env=env,
        cwd=cwd,
    ) as process:
        try:
            told, complaints = process.communicate(given, timeout=seconds)
        except BaseException:
            end_with_children(process.pid)
            raise
    return subprocess.CompletedProcess(argv, process.returncode, told, complaints)


def end_with_children(pid: int) -> None:
    """Kill a child of ours that was not waited for, and all that is below it."""
    import psutil

    with suppress(psutil.NoSuchProcess):
        process = psutil.Process(pid)
        for each in [process, *process.children(recursive=True)]:
            with suppress(psutil.NoSuchProcess):
                each.kill()


def adopt_orphans() -> None:
    """Become the parent of all below that lose theirs, so that none of them is lost sight of."""
    _libc.prctl(_PR_SET_CHILD_SUBREAPER, 1)


def tighten_timers() -> None:
    """Let the kernel wake this process when it asked for it, not 50 us later."""
    _libc.prctl(_PR_SET_TIMERSLACK, 1000)
