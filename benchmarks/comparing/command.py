"""The command line as a user calls it."""

from __future__ import annotations

import signal
import subprocess
import sys

from harness.cli import EXIT_INTERRUPTED


def harness(*arguments: object, whole: bool = False) -> str:
    """What a command said on standard output, while its progress is seen; CalledProcessError where it failed.

    Ctrl-C is the command's to answer. What it said until then counts, unless it was to come to its end (``whole``).
    """
    argv = [sys.executable, "-m", "harness", *map(str, arguments)]
    before = signal.signal(signal.SIGINT, lambda *_: None)
    ended = subprocess.run(argv, stdout=subprocess.PIPE, text=True, check=False)
    signal.signal(signal.SIGINT, before)
    if ended.returncode == EXIT_INTERRUPTED and whole:
        raise KeyboardInterrupt
    if ended.returncode not in (0, 1, 3, EXIT_INTERRUPTED):
        raise subprocess.CalledProcessError(ended.returncode, argv)
    return ended.stdout
