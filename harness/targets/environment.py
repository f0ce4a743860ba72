"""Build, list and remove target environments.

An environment's folder is named after the content of its requirements. It is built beside its place and renamed into
it, so that an interrupted build leaves nothing that could be taken for an environment.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from harness.agent.children import die_with_parent
from harness.errors import InputError, TargetError
from harness.targets.interpreter import Interpreter

DEFAULT_MXNET = "1.9.1"
NEWEST_PYTHON = (3, 11)
_NUMPY = "numpy<1.24"
_INFO = "target.json"
Say = Callable[[str], None]


@dataclass(frozen=True)
class Recipe:
    """What a target environment is made of; its ``key`` names it."""

    python: str
    requirements: tuple[str, ...]

    @property
    def key(self) -> str:
        """A short hash of the content."""
        return hashlib.sha256(json.dumps([self.python, *self.requirements]).encode()).hexdigest()[:12]

    @property
    def name(self) -> str:
        """For people."""
        return f"{self.requirements[0].replace('==', '-')}-py{self.python}"


@dataclass(frozen=True)
class Environment:
    """A built environment."""

    path: Path
    recipe: Recipe
    packages: dict[str, str]

    @property
    def interpreter(self) -> Interpreter:
        """To start it with."""
        return Interpreter(self.path / "bin" / "python", self.packages)


def recipe(mxnet: str) -> Recipe:
    """The recipe for an MXNet version: `import mxnet` fails with numpy 1.24 and later (np.bool)."""
    python, _ = _base_python()
    return Recipe(python, (f"mxnet=={mxnet}", _NUMPY))


def cache_folder() -> Path:
    """``$HARNESS_CACHE``, else below ``$XDG_CACHE_HOME`` or ``~/.cache``."""
    if chosen := os.environ.get("HARNESS_CACHE"):
        return Path(chosen).absolute() / "targets"
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base).absolute() / "mxnet-harness" / "targets"


def ensure(wanted: Recipe, say: Say) -> Environment:
    """The environment, built if it is not there; TargetError says what was tried."""
    place = cache_folder() / wanted.key
    if found := _load(place):
        return found
    with _lock(wanted.key):
        if found := _load(place):
            return found
        say(f"building target {wanted.name} (about 300 MB, once): {' '.join(wanted.requirements)}")
        _build(wanted, place)
        say(f"built target {wanted.name}")
    built = _load(place)
    assert built is not None
    return built


def every() -> Iterator[Environment]:
    """All environments in the cache."""
    folder = cache_folder()
    for path in sorted(folder.iterdir()) if folder.is_dir() else []:
        if found := _load(path):
            yield found


def remove(name: str) -> Path:
    """Delete the environment of that name or key; InputError when there is none."""
    for environment in every():
        if name in (environment.recipe.name, environment.recipe.key):
            shutil.rmtree(environment.path)
            return environment.path
    known = ", ".join(environment.recipe.name for environment in every()) or "none"
    raise InputError(f"there is no target {name!r}; built are: {known}")


def _load(path: Path) -> Environment | None:
    try:
        info = json.loads((path / _INFO).read_text())
        return Environment(path, Recipe(info["python"], tuple(info["requirements"])), info["packages"])
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _build(wanted: Recipe, place: Path) -> None:
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        beside = place.with_name(f".building-{wanted.key}")
        shutil.rmtree(beside, ignore_errors=True)  # what a killed build left
        beside.mkdir()
    except OSError as error:
        raise _unwritable(place.parent, error) from error
    try:
        _, base = _base_python()
        _run([base, "-m", "venv", "--without-pip", str(beside)], wanted)
        python = str(beside / "bin" / "python")
        pip = [sys.executable, "-m", "pip", "--python", python, "--disable-pip-version-check"]
        _run([*pip, "install", "--quiet", "--no-compile", *wanted.requirements], wanted)
        _run([python, "-c", "import mxnet"], wanted)
        listed = json.loads(_run([*pip, "list", "--format", "json"], wanted))
        packages = {entry["name"]: entry["version"] for entry in listed}
        info = {"python": wanted.python, "requirements": wanted.requirements, "packages": packages}
        (beside / _INFO).write_text(json.dumps(info, indent=1) + "\n")
        shutil.rmtree(place, ignore_errors=True)
        beside.rename(place)
    except OSError as error:
        raise _unwritable(place.parent, error) from error
    finally:
        shutil.rmtree(beside, ignore_errors=True)


def _run(argv: list[str], wanted: Recipe) -> str:
    """Output of a build step; TargetError with the command, its last words and the remedy."""
    env = {key: value for key, value in os.environ.items() if not key.startswith(("PYTHON", "VIRTUAL_ENV"))}
    done = subprocess.run(argv, capture_output=True, text=True, env=env, preexec_fn=die_with_parent)
    if done.returncode == 0:
        return done.stdout
    last = [line for line in (done.stderr + done.stdout).splitlines() if line.strip()][-4:]
    raise TargetError(
        f"target {wanted.name} could not be built: {' '.join(argv[-6:])} ended with status {done.returncode}\n"
        + "\n".join(f"  {line}" for line in last)
        + "\nwithout a network, point at an interpreter that has mxnet: --python PATH or target: {python: PATH}"
    )


def _base_python() -> tuple[str, str]:
    """Version and path of the interpreter to build with: ours, or an older one on the path (mxnet needs ≤ 3.11)."""
    if sys.version_info[:2] <= NEWEST_PYTHON:
        return f"{sys.version_info.major}.{sys.version_info.minor}", getattr(sys, "_base_executable", sys.executable)
    for minor in range(NEWEST_PYTHON[1], 6, -1):
        if found := shutil.which(f"python3.{minor}"):
            return f"3.{minor}", found
    raise TargetError("mxnet needs Python 3.7 to 3.11 and none is on the path; give --python PATH")


@contextmanager
def _lock(key: str) -> Iterator[None]:
    """One build of a target at a time; the kernel lets go of the lock whatever happens to us."""
    folder = cache_folder()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock = os.open(folder / f".lock-{key}", os.O_RDWR | os.O_CREAT, 0o644)
    except OSError as error:
        raise _unwritable(folder, error) from error
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
    finally:
        os.close(lock)


def _unwritable(folder: Path, error: OSError) -> TargetError:
    reason = (error.strerror or "").lower()
    return TargetError(f"{folder} cannot be written: {reason}; choose another cache folder with HARNESS_CACHE")
