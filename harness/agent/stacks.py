"""Python and native stacks of a process, by py-spy, without waiting for it."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path

from harness.agent import proc

TIMEOUT_SECONDS = 15.0


class StackDump:
    """A py-spy that is looking at a process. OSError when it cannot be started."""

    def __init__(self, pid: int) -> None:
        argv = [str(Path(sys.executable).with_name("py-spy")), "dump", "--pid", str(pid)]
        # A stopped process cannot be paused once more, and stands still anyway; native frames need a pause.
        argv.append("--nonblocking" if proc.state(pid) == "T" else "--native")
        self._output = tempfile.TemporaryFile()  # noqa: SIM115 (closed by text)
        self._process = subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=self._output, stderr=subprocess.STDOUT)
        self.deadline = time.monotonic() + TIMEOUT_SECONDS

    def text(self) -> str | None:
        """What it said; None while it is looking; a note when it takes too long."""
        if self._process.poll() is None:
            if time.monotonic() < self.deadline:
                return None
            self._process.kill()
            self._process.wait()
            return f"py-spy did not finish within {TIMEOUT_SECONDS:g} s"
        self._output.seek(0)
        lines = self._output.read().decode(errors="replace").splitlines()
        self._output.close()
        return "\n".join(line for line in lines if not line.startswith("Process ")).strip()
