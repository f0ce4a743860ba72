"""Processes that follow one another, each forked from one that has imported MXNet and called nothing.

A fork takes milliseconds where an import takes seconds. The process that forks reads standard input up to `NEXT`, a
byte that no line of JSON has, and forks one that serves; of its end it tells ``{"died": SIGNAL}``, 0 where none did it.
SIGUSR1 ends the one that serves. MXNet stops its engine before a fork and starts it in the fork, with one thread for
each device and one of OpenMP, whatever variables say (``src/initialize.cc``). That is what it has by default where
OMP_NUM_THREADS is 1; where anything else is asked, nothing is to be forked.
"""

from __future__ import annotations

import ctypes
import json
import os
import signal
import traceback
from collections.abc import Callable
from typing import Any

FOLLOWED = "followed"
"""The argument with which a process of operators forks those that answer."""

NEXT = b"\0"
_PR_SET_PDEATHSIG = 1


def follow(serve: Callable[[], None]) -> None:
    """Let one process after the other serve, each when it is asked for, until the input ends."""
    serving = 0

    def end(*_: Any) -> None:
        if serving:
            os.kill(serving, signal.SIGKILL)

    signal.signal(signal.SIGUSR1, end)
    while _is_asked():
        before = os.getpid()
        serving = os.fork()
        if not serving:
            _become(serve, before)
        os.waitid(os.P_PID, serving, os.WEXITED | os.WNOWAIT)  # nobody else has its number yet
        ended, serving = serving, 0
        _, status = os.waitpid(ended, 0)
        died = {"died": os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0}
        os.write(1, b"\n%s\n" % json.dumps(died).encode())  # after what it did not end writing


def _is_asked() -> bool:
    """Whether another one is: what the one before did not read comes first."""
    byte = b" "
    while byte not in (b"", NEXT):
        byte = os.read(0, 1)
    return byte == NEXT


def _become(serve: Callable[[], None], parent: int) -> None:
    """The one that serves; it ends without what Python does at its end, which is the parent's."""
    try:
        signal.signal(signal.SIGUSR1, signal.SIG_DFL)
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() == parent:
            serve()
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(1)
