"""Care for child processes that Python's subprocess module leaves to the caller (prctl(2))."""

from __future__ import annotations

import ctypes
import os
import resource
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

_PR_SET_PDEATHSIG = 1
_PR_SET_TIMERSLACK = 29
_PR_SET_CHILD_SUBREAPER = 36
_ADDR_NO_RANDOMIZE = 0x0040000
_OF_MEMORY = (resource.RLIMIT_AS, resource.RLIMIT_DATA)
_AS_IT_IS = 0xFFFFFFFF
_libc = ctypes.CDLL(None)
_answering = set[int]()
"""Processes that `answer` waits for, each the first of its group."""


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
    """What a command says, as `subprocess.run` has it; what takes longer ends with all that it started.

    It has a group of its own: a wrapper in a shell leaves the Python that it started behind otherwise, and a Ctrl-C
    that ends it would pass for what the command did. KeyboardInterrupt once `stop_answers` was called.
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
        start_new_session=True,
        preexec_fn=die_with_parent,
    ) as process:
        _answering.add(process.pid)
        try:
            told, complaints = process.communicate(given, timeout=seconds)
        except BaseException:
            _kill_group(process.pid)
            raise
        finally:
            was_stopped = process.pid not in _answering
            _answering.discard(process.pid)
    if was_stopped:
        raise KeyboardInterrupt
    return subprocess.CompletedProcess(argv, process.returncode, told, complaints)


def stop_answers() -> None:
    """End what `answer` waits for, as where a signal that is only noted asks us to stop."""
    for pid in tuple(_answering):
        _answering.discard(pid)
        _kill_group(pid)


def _kill_group(pid: int) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGKILL)


def adopt_orphans() -> None:
    """Become the parent of all below that lose theirs, so that none of them is lost sight of."""
    _libc.prctl(_PR_SET_CHILD_SUBREAPER, 1)


def fix_addresses() -> bool:
    """Before exec: let the kernel map the program where it maps it in every process, and draw nothing (personality(2)).

    False where it refuses, as in containers by their filter of system calls, and where the worker could not move what
    lies there (`harness/worker/layout.py`): it takes some of what may be mapped, and goes downwards.
    """
    if any(resource.getrlimit(limit)[0] != resource.RLIM_INFINITY for limit in _OF_MEMORY) or _goes_upwards():
        return False
    before = _personality(_AS_IT_IS)
    return before >= 0 and _personality(before | _ADDR_NO_RANDOMIZE) >= 0


def _goes_upwards() -> bool:
    """Whether memory is mapped from below (`mmap_is_legacy` in Linux)."""
    with suppress(OSError):
        if Path("/proc/sys/vm/legacy_va_layout").read_text().strip() == "1":
            return True
    return resource.getrlimit(resource.RLIMIT_STACK)[0] == resource.RLIM_INFINITY


def can_fix_addresses() -> bool:
    """Whether `fix_addresses` would do it; this process stays as it is."""
    before = _personality(_AS_IT_IS)
    can = fix_addresses()
    if can:
        _personality(before)
    return can


def _personality(flags: int) -> int:
    """What it was, or -1; the kernel, and filters of system calls, take it for an unsigned long."""
    return int(_libc.personality(ctypes.c_ulong(flags)))


def tighten_timers() -> None:
    """Let the kernel wake this process when it asked for it, not 50 us later."""
    _libc.prctl(_PR_SET_TIMERSLACK, 1000)
