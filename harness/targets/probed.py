"""What a target says of itself, by a process of its own that imports it; nothing is imported here."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from harness.base.errors import ImportFailedError, TargetError
from harness.base.process import answer
from harness.targets import inherited
from harness.targets.interpreter import Interpreter

PATIENCE_SECONDS = 120.0
_MAIN = "import sys; sys.path.insert(0, sys.argv[1]); from {}.probe import main; main()"
_IMPORTED = "imported"
"""What it says once MXNet is imported (`harness/worker/probe.py`)."""

_ERROR = re.compile(r"[\w.]+(Error|Exception)\b")


@dataclass(frozen=True)
class Taken:
    """What something can be called with; ``places`` None: any number of arguments without names.

    ``names`` None: it does not say.
    """

    names: tuple[str, ...] | None = None
    needed: tuple[str, ...] = ()
    any_name: bool = False
    places: int | None = None

    def refuses(self, keywords: Sequence[str], places: int) -> str | None:
        """Why it cannot be called with these names and so many arguments without; None where it can."""
        if self.names is None:
            return None
        missing = [each for each in self.needed if each not in keywords and self.names.index(each) >= places]
        if missing:
            return f"needs {', '.join(missing)}"
        unknown = [name for name in keywords if name not in self.names]
        if unknown and not self.any_name:
            return f"takes no argument {', '.join(unknown)}"
        if self.places is not None and places > self.places:
            return f"takes {self.places} arguments, not {places}"
        return None


@dataclass(frozen=True)
class Probed:
    """Versions ("" of what is not there), features with whether they are on, and names with what they take.

    A name that is not there is None. ``variables``: of the environment, which its libraries read; ``unread``: those
    that were asked about and nothing in it reads, with the nearest one that is read, or ""; ``unfit``: why it does not
    run on the GPUs of this machine.
    """

    versions: Mapping[str, str]
    features: Mapping[str, bool]
    names: Mapping[str, Taken | None]
    variables: frozenset[str] = frozenset()
    unfit: tuple[str, ...] = ()
    unread: Mapping[str, str] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        """For a file, from which `from_json` makes it again."""
        names = {name: None if taken is None else asdict(taken) for name, taken in self.names.items()}
        return {
            "versions": dict(self.versions),
            "features": dict(self.features),
            "names": names,
            "variables": sorted(self.variables),
            "unfit": list(self.unfit),
            "unread": dict(self.unread),
        }

    @classmethod
    def from_json(cls, body: Mapping[str, Any]) -> Probed:
        """LookupError or TypeError for what is none."""
        names = _names(body["names"])
        unread = dict(body.get("unread", {}))
        return cls(
            body["versions"], body["features"], names, frozenset(body["variables"]), tuple(body["unfit"]), unread
        )


def probe(
    interpreter: Interpreter, env: Mapping[str, str], names: Sequence[str], package: str, archive: bytes
) -> Probed:
    """Start a target's Python, import its MXNet, and ask; ImportFailedError with what it said last where that fails.

    TargetError where nobody can say: it cannot be started, takes too long, is killed, or fails afterwards.

    ``package``: as which the worker lies in its ``archive``.
    """
    with tempfile.TemporaryDirectory() as scratch:
        place = Path(scratch) / "worker.pyz"
        place.write_bytes(archive)
        try:
            argv = [str(interpreter.python), "-c", _MAIN.format(package), str(place)]
            known = {**inherited.of_shell(), **interpreter.env, **env}
            done = answer(argv, PATIENCE_SECONDS, known, scratch, json.dumps({"names": list(names)}))
        except OSError as error:
            raise TargetError(
                f"{interpreter.python} cannot be started: {(error.strerror or str(error)).lower()}"
            ) from error
        except subprocess.TimeoutExpired as error:
            raise TargetError(f"{interpreter.python} did not import mxnet within {PATIENCE_SECONDS:g} s") from error
    imported, _, told = done.stdout.partition("\n")
    if done.returncode or not told.strip():
        said = how_it_ended(done.returncode, done.stderr)
        if imported == _IMPORTED or done.returncode == -signal.SIGKILL:
            raise TargetError(f"{interpreter.python} did not come to say what its mxnet has: {said}")
        raise ImportFailedError(f"{interpreter.python} does not import mxnet: {said}")
    return _probed(json.loads(told))


def how_it_ended(status: int, complaints: str) -> str:
    """As in ``exit status 1: ImportError: …``."""
    lines = complaints.strip().splitlines() or ["it said nothing"]
    said = next((line for line in reversed(lines) if _ERROR.match(line)), lines[-1])  # the last one goes on below
    return f"{f'signal {-status}' if status < 0 else f'exit status {status}'}: {said}"


def _probed(told: Mapping[str, Any]) -> Probed:
    versions = {name: told[name] or "" for name in ("python", "mxnet", "numpy", "horovod")}
    return Probed({**versions, **told["libraries"]}, told["features"], _names(told["names"]))


def _names(told: Mapping[str, Any]) -> dict[str, Taken | None]:
    return {name: None if taken is None else _taken(taken) for name, taken in told.items()}


def _taken(told: Mapping[str, Any]) -> Taken:
    if told.get("names") is None:
        return Taken()
    return Taken(tuple(told["names"]), tuple(told["needed"]), bool(told["any_name"]), told["places"])
