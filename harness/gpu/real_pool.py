"""A trace through MXNet's own pool on a GPU: a fresh process for each setting, no kernel launched."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness.base import compiled
from harness.base.errors import TargetError
from harness.base.process import die_with_parent
from harness.gpu import visible
from harness.gpu.pool_settings import PREFIX, PoolSettings
from harness.gpu.replay import Failure, Replay

_PROGRAM = Path(__file__).parents[1] / "worker" / "pool_replay.py"
_COUNTING = Path(__file__).with_name("counting.c")
_OPTIONS = ("-pthread", "-ldl")
_PATIENCE_SECONDS = 1800.0


@dataclass(frozen=True)
class RealPool:
    """That of an interpreter's MXNet, with the variables that it needs, on GPU number ``gpu``.

    ``counting``: the folder of the library that counts calls of the device, which is compiled on first use.
    """

    python: Path
    env: Mapping[str, str]
    gpu: int
    counting: Path

    def replay(
        self, trace: Path, count: int, settings: PoolSettings, free: int | None, total: int | None = None
    ) -> Replay:
        """Of a trace of ``count`` events with ``free`` bytes of the GPU (None: all); TargetError where it cannot be.

        MXNet is told that the GPU has ``total`` bytes, or as many as are free unless given.
        """
        argv = [str(self.python), str(_PROGRAM), str(trace), "0", str(free or 0)]
        nothing = f"{settings.words}: nothing was replayed on gpu({self.gpu})"
        try:
            done = subprocess.run(
                argv,
                capture_output=True,
                text=True,
                timeout=_PATIENCE_SECONDS,
                cwd="/",
                env=self._environment(settings, total or free),
                preexec_fn=die_with_parent,
            )
        except subprocess.TimeoutExpired as error:
            raise TargetError(f"{settings.words}: no end within {_PATIENCE_SECONDS:g} s") from error
        except OSError as error:
            raise TargetError(f"{nothing}: {self.python} cannot be run: {error.strerror}") from error
        try:
            return _read(json.loads(done.stdout.splitlines()[-1]), count, settings)
        except (ValueError, LookupError, TypeError) as error:
            raise TargetError(f"{nothing}: {_last_words(done)}") from error

    def _environment(self, settings: PoolSettings, whole: int | None) -> dict[str, str]:
        try:
            counting = compiled.library(_COUNTING, self.counting, _OPTIONS)
        except (RuntimeError, OSError) as error:
            raise TargetError(f"calls of the device cannot be counted: {error}; install gcc") from error
        inherited = {name: value for name, value in os.environ.items() if not name.startswith((PREFIX, "PYTHON"))}
        total = {"CUDA_COUNTING_TOTAL": str(whole)} if whole else {}
        preload = {"LD_PRELOAD": ":".join(filter(None, [str(counting), os.environ.get("LD_PRELOAD")]))}
        own = {visible.VARIABLE: str(self.gpu), visible.ORDER: visible.BY_BUS}
        return {**inherited, **own, **self.env, **settings.environment, **total, **preload}


def _last_words(done: subprocess.CompletedProcess[str]) -> str:
    """What a process said last, or how it ended."""
    if done.returncode < 0:
        return f"it was ended by signal {-done.returncode}"
    said = [line.strip() for line in done.stderr.splitlines() if line.strip()]
    return said[-1] if said else f"it ended with status {done.returncode}, and said nothing"


def _read(said: Mapping[str, Any], count: int, settings: PoolSettings) -> Replay:
    names = (
        "peak_live", "peak_held", "end_live", "end_held", "fragmentation", "largest", "mallocs", "frees", "seconds",
        "free",
    )  # fmt: skip
    failure = said["failure"]
    failed = None if failure is None else Failure(*(failure[name] for name in ("event", "size", "live", "held")))
    return Replay(settings=settings, events=count, failure=failed, **{name: said[name] for name in names})
