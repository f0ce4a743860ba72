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

    def replay(self, trace: Path, count: int, settings: PoolSettings, free: int | None) -> Replay:
        """Of a trace of ``count`` events with ``free`` bytes of the GPU (None: all); TargetError where it cannot be."""
        argv = [str(self.python), str(_PROGRAM), str(trace), "0", str(free or 0)]
        try:
            done = subprocess.run(
                argv,
                capture_output=True,
                text=True,
                timeout=_PATIENCE_SECONDS,
                cwd="/",
                env=self._environment(settings, free),
                preexec_fn=die_with_parent,
            )
            return _read(json.loads(done.stdout.splitlines()[-1]), count, settings)
        except subprocess.TimeoutExpired as error:
            raise TargetError(f"{settings.words}: no end within {_PATIENCE_SECONDS:g} s") from error
        except (OSError, IndexError, ValueError, LookupError) as error:
            said = [line for line in done.stderr.splitlines() if line.strip()][-1:] or [str(error)]
            raise TargetError(
                f"{settings.words}: nothing was replayed on gpu({self.gpu}): {said[0].strip()}"
            ) from error

    def _environment(self, settings: PoolSettings, free: int | None) -> dict[str, str]:
        try:
            counting = compiled.library(_COUNTING, self.counting, _OPTIONS)
        except (RuntimeError, OSError) as error:
            raise TargetError(f"calls of the device cannot be counted: {error}; install gcc") from error
        inherited = {name: value for name, value in os.environ.items() if not name.startswith((PREFIX, "PYTHON"))}
        total = {"CUDA_COUNTING_TOTAL": str(free)} if free else {}
        preload = {"LD_PRELOAD": ":".join(filter(None, [str(counting), os.environ.get("LD_PRELOAD")]))}
        own = {visible.VARIABLE: str(self.gpu), visible.ORDER: visible.BY_BUS}
        return {**inherited, **own, **self.env, **settings.environment, **total, **preload}


def _read(said: Mapping[str, Any], count: int, settings: PoolSettings) -> Replay:
    names = (
        "peak_live", "peak_held", "end_live", "end_held", "fragmentation", "largest", "mallocs", "frees", "seconds",
        "free",
    )  # fmt: skip
    failure = said["failure"]
    failed = None if failure is None else Failure(*(failure[name] for name in ("event", "size", "live", "held")))
    return Replay(settings=settings, events=count, failure=failed, **{name: said[name] for name in names})
