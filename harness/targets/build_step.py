"""One step of building a target: a command whose last words are told where it fails."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from harness.base.errors import TargetError, UnknownVersionError
from harness.base.process import die_with_parent

Say = Callable[[str], None]

_SCRATCH = "TMPDIR"
"""The variable that tells pip, and what it runs, where to unpack and to build."""

_NO_VERSION = re.compile(r"requirement (\S+) \(from versions: (?!none)(.+)\)")
"""What pip says where the index has the package, and not that version of it."""


def say_nothing(_: str) -> None:
    """Where nobody listens."""


@dataclass(frozen=True)
class Pip:
    """Our own pip, for the environment in a folder; what it unpacks goes with that folder, also after a kill."""

    target: str
    place: Path

    @property
    def python(self) -> Path:
        """The environment's interpreter."""
        return self.place / "bin" / "python"

    def run(self, *words: str, more: Mapping[str, str] = MappingProxyType({}), note: Say = say_nothing) -> str:
        """Its output, as `run` has it."""
        argv = [sys.executable, "-m", "pip", "--python", str(self.python), "--disable-pip-version-check", *words]
        with scratch(self.place) as own:
            return run(argv, self.target, {**own, **more}, note)


@contextmanager
def scratch(place: Path) -> Iterator[dict[str, str]]:
    """Where pip unpacks what it loads: in the folder that it fills."""
    folder = place / ".scratch"
    folder.mkdir(parents=True, exist_ok=True)
    yield {_SCRATCH: str(folder)}
    shutil.rmtree(folder)


def run(
    argv: list[str],
    what: str,
    more: Mapping[str, str] = MappingProxyType({}),
    note: Say = say_nothing,
    remedy: str = "point at an interpreter that has mxnet: --python PATH or target: {python: PATH}",
) -> str:
    """Output of a build step, each line given to ``note`` as it comes.

    TargetError with the command, its last words and the remedy; UnknownVersionError with the versions that there are.
    """
    with tempfile.TemporaryFile("w+") as errors:
        process = subprocess.Popen(
            argv,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
            env={**plain_environment(), **more},
            cwd="/",  # whose files nobody imports by mistake
            preexec_fn=die_with_parent,
        )
        output = []
        with process:
            try:
                for line in process.stdout or ():
                    note(line)
                    output.append(line)
            except BaseException:  # as Ctrl-C, which may have been meant for us alone
                process.kill()
                raise
        errors.seek(0)
        complaints = errors.read().splitlines()
    if process.returncode == 0:
        return "".join(output)
    if (found := next(filter(None, map(_NO_VERSION.search, complaints)), None)) is not None:
        raise UnknownVersionError(f"target {what}: the package index has no {found[1]}; there are {found[2]}")
    last = [line for line in complaints + "".join(output).splitlines() if line.strip()][-4:]
    raise TargetError(
        f"target {what} could not be built: {' '.join(argv[-6:])} ended with status {process.returncode}\n"
        + "\n".join(f"  {line}" for line in last)
        + f"\nif that is for want of a network, {remedy}"
    )


def plain_environment() -> dict[str, str]:
    """Ours, without what would have another Python look into our own folders."""
    return {key: value for key, value in os.environ.items() if not key.startswith(("PYTHON", "VIRTUAL_ENV"))}
