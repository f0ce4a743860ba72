"""What a target comes down to when it is used."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from harness.base.errors import InputError
from harness.base.process import answer

_FIND = "from importlib.util import find_spec; print(find_spec('mxnet') is not None)"
_LIST = """\
import json
found = {}
try:
    from importlib.metadata import distributions
    for each in distributions():
        found.setdefault(each.metadata["Name"] or "?", each.version)  # what is first is imported
except ImportError:  # before Python 3.8
    from pkg_resources import working_set
    found = {each.project_name: each.version for each in working_set}
print("\\n" + json.dumps(found))
"""
"""In a line of its own, as a Python's own hooks may print, too."""

_PATIENCE_SECONDS = 30.0


@dataclass(frozen=True)
class Interpreter:
    """A Python to start, the packages in it as far as the harness knows them, and variables that it needs."""

    python: Path
    packages: Mapping[str, str] = field(default_factory=dict, hash=False)
    env: Mapping[str, str] = field(default_factory=dict, hash=False)


def on_disk(path: str) -> Interpreter:
    """The interpreter at a path; InputError unless it can be executed. Nothing is installed into it."""
    try:
        python = Path(path).expanduser().absolute()
        there = python.is_file()
    except (OSError, RuntimeError, ValueError) as error:
        raise InputError(f"{path!r} is not a path that can be looked at: {error}") from error
    if not there:
        raise InputError(f"there is no interpreter at {path}; give the path of a python with mxnet in it")
    if not os.access(python, os.X_OK):
        raise InputError(f"{path} cannot be executed; give the path of a python with mxnet in it")
    return Interpreter(python)


def installed(python: Path) -> dict[str, str]:
    """The packages in an interpreter and their versions; InputError where it does not say."""
    argv, env = [str(python), "-c", _LIST], _passed_on()
    try:
        done = answer(argv, _PATIENCE_SECONDS, env)
        found = dict(json.loads(done.stdout.rstrip().rpartition("\n")[2]))
        return {str(name): str(version) for name, version in sorted(found.items())}
    except (OSError, subprocess.TimeoutExpired, TypeError, ValueError) as error:
        raise InputError(f"{python} does not say which packages it has: {error}; give the path of a Python") from error


def _passed_on() -> dict[str, str]:
    """The shell's variables but those that tell Python what to do: workers do not have them either."""
    return {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}


def require_mxnet(python: Path, env: Mapping[str, str]) -> None:
    """InputError unless that is a Python which finds mxnet, with these variables; nothing is imported.

    What the shell tells Python does not count: it is not passed on to workers.
    """
    argv = [str(python), "-c", _FIND]
    try:
        done = answer(argv, _PATIENCE_SECONDS, {**_passed_on(), **env})
    except (OSError, subprocess.TimeoutExpired) as error:
        raise InputError(f"{python} is no Python that runs here: {error}") from error
    said = done.stdout.strip().rpartition("\n")[2]
    if said not in ("True", "False"):
        raise InputError(f"{python} is no Python that runs here: exit status {done.returncode}")
    if said == "False":
        raise InputError(f"there is no mxnet in {python}; give the path of a python with mxnet in it")
