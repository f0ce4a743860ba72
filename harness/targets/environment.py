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
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import psutil

from harness.base.errors import ImportFailedError, InputError, TargetError
from harness.base.process import die_with_parent
from harness.gpu import wheels
from harness.targets import horovod_wheel
from harness.targets.build_step import Pip, Say, plain_environment, run, scratch
from harness.targets.interpreter import Interpreter
from harness.targets.probed import how_it_ended

DEFAULT_MXNET = "1.9.1"
NEWEST_PYTHON = (3, 11)
_NUMPY = "numpy<1.24"
_INFO = "target.json"
_TOLD = ("nvidia-nccl-", "nvidia-cudnn-", "horovod==", "numpy==")
"""Requirements that an environment is named after, besides MXNet."""


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
        """What people call it, as in ``mxnet-1.9.1-py3.11``."""
        chosen = [each for each in self.requirements if each.startswith(_TOLD)]
        words = [each.removeprefix("nvidia-").replace("-cu11==", "-") for each in chosen]
        return f"{'-'.join([self.requirements[0], *words]).replace('==', '-')}-py{self.python}"

    @property
    def libraries(self) -> tuple[str, ...]:
        """The wheels of NVIDIA's among the requirements."""
        return tuple(filter(wheels.is_library, self.requirements))

    @property
    def size(self) -> str:
        """About what it takes on disk, in words."""
        return f"{wheels.GIGABYTES:g} GB on disk, {wheels.GIGABYTES / 2:g} GB to load" if self.libraries else "300 MB"

    @property
    def horovod(self) -> str | None:
        """The requirement that is built from source, if there is one."""
        return next((requirement for requirement in self.requirements if requirement.startswith("horovod==")), None)


@dataclass(frozen=True)
class Environment:
    """A built environment."""

    path: Path
    recipe: Recipe
    packages: dict[str, str]

    @property
    def interpreter(self) -> Interpreter:
        """The interpreter that starts its processes."""
        return Interpreter(self.path / "bin" / "python", self.packages, wheels.library_path(self.path))


def recipe(
    mxnet: str,
    horovod: str | None = None,
    cuda: str | None = None,
    nccl: str | None = None,
    cudnn: str | None = None,
    numpy: str | None = None,
) -> Recipe:
    """The recipe for an MXNet version: `import mxnet` fails with numpy 1.24 and later (np.bool)."""
    python, _ = base_python()
    name, libraries = (wheels.WHEEL, wheels.requirements(nccl, cudnn)) if cuda else ("mxnet", ())
    chosen = f"numpy=={numpy}" if numpy else _NUMPY
    return Recipe(python, (f"{name}=={mxnet}", chosen, *libraries, *([f"horovod=={horovod}"] if horovod else [])))


def cache_folder() -> Path:
    """``$HARNESS_CACHE``, else below ``$XDG_CACHE_HOME`` or ``~/.cache``."""
    if chosen := os.environ.get("HARNESS_CACHE"):
        return Path(chosen).absolute() / "targets"
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base).absolute() / "mxnet-harness" / "targets"


def compiled_folder(python: Path) -> Path:
    """Where workers of an interpreter keep what MXNet's import compiles (`harness/worker/compiled.py`)."""
    return cache_folder().parent / "compiled" / hashlib.sha256(str(python).encode()).hexdigest()[:16]


def built(wanted: Recipe) -> Environment | None:
    """The environment, if it is there."""
    return _load(cache_folder() / wanted.key)


def ensure(wanted: Recipe, say: Say) -> Environment:
    """The environment, built if it is not there; TargetError says what was tried."""
    place = cache_folder() / wanted.key
    if built := _load(place):
        with suppress(OSError):
            os.utime(place)  # when it was used last, for `harness prune`
        return built
    with _lock(wanted.key, say):
        if built := _load(place):
            return built
        _clear()
        _require_room(wanted, place.parent)
        say(f"building target {wanted.name} (about {wanted.size}, once): {' '.join(wanted.requirements)}")
        _build(wanted, place, say)
        say(f"built target {wanted.name}")
    built = _load(place)
    assert built is not None
    return built


def ensure_wheel(requirement: str, place: Path, say: Say) -> None:
    """The content of one wheel in a folder of its own, whole or not at all; TargetError says what was tried."""
    with _lock(place.name, say):
        if place.is_dir():
            return
        beside = place.with_name(f".building-{place.name}")
        say(f"loading {requirement} (about 200 MB, once)")
        shutil.rmtree(beside, ignore_errors=True)  # what a killed load left
        pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "install", "--quiet", "--no-deps"]
        try:
            with scratch(beside) as own:
                argv = [*pip, "--no-compile", "--target", str(beside), requirement]
                run(argv, requirement, own, remedy=f"bring {place} from a machine that has it")
            beside.rename(place)
        except OSError as error:
            raise _unwritable(place.parent, error) from error
        finally:
            shutil.rmtree(beside, ignore_errors=True)


def every() -> Iterator[Environment]:
    """All environments in the cache."""
    folder = cache_folder()
    for path in sorted(folder.iterdir()) if folder.is_dir() else []:
        if not path.name.startswith(".") and (built := _load(path)):
            yield built


def remove(name: str) -> Path:
    """Delete the environment of that name or key; InputError when there is none."""
    for environment in every():
        if name in (environment.recipe.name, environment.recipe.key):
            shutil.rmtree(environment.path)
            shutil.rmtree(compiled_folder(environment.interpreter.python), ignore_errors=True)
            return environment.path
    known = ", ".join(environment.recipe.name for environment in every()) or "none"
    raise InputError(f"there is no target {name!r}; built are: {known}")


def is_running(target: Environment) -> bool:
    """Whether a process that we may look at runs from it."""
    inside = str(target.path) + os.sep
    for process in psutil.process_iter():
        with suppress(psutil.Error):
            if any(word.startswith(inside) for word in process.cmdline()[:1]):
                return True
    return False


def _load(path: Path) -> Environment | None:
    try:
        info = json.loads((path / _INFO).read_text())
        return Environment(path, Recipe(info["python"], tuple(info["requirements"])), info["packages"])
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _build(wanted: Recipe, place: Path, say: Say) -> None:
    if wanted.horovod and not horovod_wheel.built(_wheels(wanted)):
        horovod_wheel.require_compilers(wanted.horovod, for_gpus=bool(wanted.libraries))
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        beside = place.with_name(f".building-{wanted.key}")
        shutil.rmtree(beside, ignore_errors=True)  # what a killed build left
        beside.mkdir()
    except OSError as error:
        raise _unwritable(place.parent, error) from error
    try:
        _, base = base_python()
        run([base, "-m", "venv", "--without-pip", str(beside)], wanted.name)
        pip = Pip(wanted.name, beside)
        plain = [each for each in wanted.requirements if each not in (wanted.horovod, *wanted.libraries)]
        pip.run("install", "--quiet", "--no-compile", "--only-binary=numpy", *plain)
        first = [each for each in wanted.libraries if each.startswith(_TOLD)]  # a version that is none is told early
        for number, each in enumerate(dict.fromkeys([*first, *wanted.libraries]), 1):
            say(f"installing {each} ({number} of {len(wanted.libraries)})")
            pip.run("install", "--quiet", "--no-deps", "--no-compile", each)
        _link_nccl(beside)
        _try_import(pip, wanted, "mxnet", say)
        if wanted.horovod:
            horovod_wheel.install(wanted.horovod, pip, _wheels(wanted), say)
            _try_import(pip, wanted, "horovod.mxnet", say)
        listed = json.loads(pip.run("list", "--format", "json"))
        packages = {entry["name"]: entry["version"] for entry in listed}
        info = {"python": wanted.python, "requirements": wanted.requirements, "packages": packages}
        (beside / _INFO).write_text(json.dumps(info, indent=1) + "\n")
        _replace(place, beside)
    except OSError as error:
        raise _unwritable(place.parent, error) from error
    finally:
        shutil.rmtree(beside, ignore_errors=True)


def _require_room(wanted: Recipe, folder: Path) -> None:
    """TargetError where a target for GPUs would fill the disk."""
    free = shutil.disk_usage(folder).free / 10**9
    if wanted.libraries and free < wheels.GIGABYTES * 1.5:
        raise TargetError(
            f"target {wanted.name} takes about {wanted.size}, and {folder} has {free:.1f} GB left; "
            "choose another cache folder with HARNESS_CACHE"
        )


def _link_nccl(place: Path) -> None:
    """What Horovod's build looks for; wheels have the library by its full name only."""
    for library in place.glob("lib/python*/site-packages/nvidia/nccl/lib/libnccl.so.2"):
        library.with_name("libnccl.so").symlink_to(library.name)


def _try_import(pip: Pip, wanted: Recipe, module: str, say: Say) -> None:
    """Import it; with CUDA that needs the driver's library, without which nobody can know yet.

    ImportFailedError with what it says, TargetError where it is killed.
    """
    if wanted.libraries and not wheels.has_driver():
        say(f"{wheels.DRIVER} is not on this machine, so that {module} was not imported here")
        return
    argv = [str(pip.python), "-c", f"import {module}"]
    env = {**plain_environment(), **wheels.library_path(pip.place)}
    done = subprocess.run(argv, capture_output=True, text=True, env=env, cwd="/", preexec_fn=die_with_parent)
    if done.returncode:
        error = TargetError if done.returncode == -signal.SIGKILL else ImportFailedError
        said = how_it_ended(done.returncode, done.stderr)
        raise error(f"target {wanted.name} does not import {module}: {said}; choose other versions")


def _replace(place: Path, by: Path) -> None:
    """Put one folder in the place of another: whenever this is interrupted, there is the old one, the new, or none."""
    old = place.with_name(f".old-{place.name}")
    shutil.rmtree(old, ignore_errors=True)
    if place.exists():
        place.rename(old)
    by.rename(place)
    shutil.rmtree(old, ignore_errors=True)


def _wheels(wanted: Recipe) -> Path:
    """Where what was compiled for this very recipe is kept."""
    return cache_folder().parent / "wheels" / wanted.key


def base_python() -> tuple[str, str]:
    """Version and path of the interpreter to build with: ours, or an older one on the path (mxnet needs ≤ 3.11)."""
    if sys.version_info[:2] <= NEWEST_PYTHON:
        return f"{sys.version_info.major}.{sys.version_info.minor}", getattr(sys, "_base_executable", sys.executable)
    for minor in range(NEWEST_PYTHON[1], 6, -1):
        if path := shutil.which(f"python3.{minor}"):
            return f"3.{minor}", path
    raise TargetError("mxnet needs Python 3.7 to 3.11 and none is on the path; give --python PATH")


def _clear() -> None:
    """Delete what killed builds and loads left, of targets that nobody builds now: up to 4 GB each."""
    for left in [*cache_folder().glob(".building-*"), *cache_folder().parent.glob("libraries/.building-*")]:
        with suppress(OSError):
            name = f".lock-{left.name.removeprefix('.building-')}"
            lock = os.open(cache_folder() / name, os.O_RDWR | os.O_CREAT, 0o644)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(left, ignore_errors=True)
            finally:
                os.close(lock)


@contextmanager
def _lock(key: str, say: Say) -> Iterator[None]:
    """One build of a target at a time; the kernel lets go of the lock whatever happens to us."""
    folder = cache_folder()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock = os.open(folder / f".lock-{key}", os.O_RDWR | os.O_CREAT, 0o644)
    except OSError as error:
        raise _unwritable(folder, error) from error
    try:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say("another process builds it; waiting until it has")
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield
    finally:
        os.close(lock)


def _unwritable(folder: Path, error: OSError) -> TargetError:
    reason = (error.strerror or "").lower()
    return TargetError(f"{folder} cannot be written: {reason}; choose another cache folder with HARNESS_CACHE")
