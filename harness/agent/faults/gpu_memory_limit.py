"""A process that holds the rest of a GPU's memory, in the interpreter of the process that it is held from."""

from __future__ import annotations

import select
import subprocess
from contextlib import suppress
from pathlib import Path
from typing import ClassVar

from harness.agent.faults import Commitment, Fields
from harness.base.process import die_with_parent

_PATIENCE_SECONDS, _LAST_PATIENCE_SECONDS = 20.0, 5.0
"""Until CUDA is up, half a second on an H100, and until it has given back what was held."""

_HOLD = """
import ctypes, sys
cuda = ctypes.CDLL("{runtime}")
cuda.cudaMalloc.argtypes = (ctypes.c_void_p, ctypes.c_size_t)
free, total, block = ctypes.c_size_t(), ctypes.c_size_t(), ctypes.c_void_p()
def ask(what):
    if what:
        sys.exit("CUDA says error %d" % what)
ask(cuda.cudaSetDevice({gpu}))
ask(cuda.cudaMemGetInfo(ctypes.byref(free), ctypes.byref(total)))
before, held = free.value, max(0, free.value - {free})
if held:
    ask(cuda.cudaMalloc(ctypes.byref(block), held))
ask(cuda.cudaMemGetInfo(ctypes.byref(free), ctypes.byref(total)))
print(held, before, free.value, flush=True)
sys.stdin.read()
ask(cuda.cudaMemGetInfo(ctypes.byref(free), ctypes.byref(total)))
before = free.value
ask(cuda.cudaFree(block))
ask(cuda.cudaMemGetInfo(ctypes.byref(free), ctypes.byref(total)))
print(held, before, free.value, flush=True)
"""


def _runtime(pid: int) -> str:
    """The CUDA runtime that a process has loaded, or else the name of the one that our targets have."""
    with suppress(OSError):
        for line in Path(f"/proc/{pid}/maps").read_text(errors="surrogateescape").splitlines():
            if "/libcudart.so" in line and (path := line[line.index("/") :]) and "\\" not in path and '"' not in path:
                return path
    return "libcudart.so.11.0"


class Commit(Commitment):
    """All but ``free`` bytes of the ``gpu``, as the process numbers it."""

    reports: ClassVar[str] = "gpu_held"
    exclusive: ClassVar[bool] = True

    def begin(self) -> Fields:
        pid = self.child.pid
        environment = Path(f"/proc/{pid}/environ").read_bytes().decode(errors="surrogateescape")
        numbers = {name: int(self.parameters[name]) for name in ("gpu", "free")}
        program = _HOLD.format(runtime=_runtime(pid), **numbers)
        self._holder = subprocess.Popen(
            [str(Path(f"/proc/{pid}/exe").readlink()), "-c", program],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=dict(each.split("=", 1) for each in environment.split("\0") if "=" in each),
            cwd="/",
            preexec_fn=die_with_parent,
        )
        try:
            return {"ended": False, **self._said(_PATIENCE_SECONDS), "alive": True}
        except ValueError:
            self._leave()
            raise

    def end(self) -> Fields | None:
        """One that lived to this moment held the memory, also where the driver does not say that it has it back."""
        alive = self._holder.poll() is None
        said = {"held": 0, "before": 0, "after": 0}
        with suppress(ValueError, OSError):
            if alive and self._holder.stdin is not None:
                self._holder.stdin.close()
                said = self._said(_LAST_PATIENCE_SECONDS)
        self._leave()
        return {"ended": True, **said, "alive": alive}

    def _said(self, patience: float) -> dict[str, int]:
        """Its next line; ValueError where none comes."""
        lines = self._holder.stdout
        assert lines is not None
        if not select.select([lines], [], [], patience)[0] or not (line := lines.readline()):
            raise ValueError("no memory of the GPU could be held; the agent's log tells CUDA's error")
        return dict(zip(("held", "before", "after"), map(int, line.split()), strict=True))

    def _leave(self) -> None:
        self._holder.kill()
        with suppress(subprocess.TimeoutExpired):  # a driver that hangs keeps it
            self._holder.wait(1.0)
        for pipe in (self._holder.stdin, self._holder.stdout):
            if pipe is not None and not pipe.closed:
                pipe.close()
