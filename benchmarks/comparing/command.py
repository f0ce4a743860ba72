"""The command line as a user calls it."""

from __future__ import annotations

import signal
import subprocess
import sys


def harness(*arguments: object) -> str:
    """What a command said on standard output, while its progress is seen; CalledProcessError where it failed.

    What an interrupted one said counts, too: Ctrl-C is the command's to answer.
    """
    argv = [sys.executable, "-m", "harness", *map(str, arguments)]
    before = signal.signal(signal.SIGINT, lambda *_: None)
    ended = subprocess.run(argv, stdout=subprocess.PIPE, text=True, check=False)
    signal.signal(signal.SIGINT, before)
    if ended.returncode not in (0, 1, 3, 130):
        raise subprocess.CalledProcessError(ended.returncode, argv)
    return ended.stdout
