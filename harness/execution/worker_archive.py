"""The worker as a zip application: the same bytes for the same sources, so that it can be named by its hash."""

from __future__ import annotations

import hashlib
import io
import zipfile
from collections.abc import Iterable
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from harness.base import registry
from harness.base.errors import DamagedRunError, InputError, RegistryError
from harness.faults import WorkerFault
from harness.scenario.load import LoadedScenario

_FAULTS, _MODELS = "harness.worker.faults", "harness.worker.models"
_EPOCH = (1980, 1, 1, 0, 0, 0)
_OWN = "own/"
PACKAGE = "_harness_worker"
"""What the worker is called in its archive: a name that no script of a user's has for a module of its own."""

_MAIN = f"from {PACKAGE}.main import main\n\nmain()\n"


def of(loaded: LoadedScenario) -> bytes:
    """The archive for a scenario: all of the worker, and of other distributions' parts those that it uses.

    RegistryError when a fault is to be committed by the worker and there is no file that says how.
    """
    faults, models = registry.modules(_FAULTS), registry.modules(_MODELS)
    used = set()
    for arm in loaded.arms.values():
        if arm.workload.model in models:
            used.add((f"models/{arm.workload.model}.py", models[arm.workload.model]))
        for name in {entry.fault.name for entry in arm.faults if isinstance(entry.fault, WorkerFault)}:
            if name not in faults:
                raise RegistryError(f"nothing says how the worker commits {name!r}: add {_FAULTS}.{name}")
            registry.require_class(faults[name], "Fault")
            used.add((f"faults/{name}.py", faults[name]))
    own_files = {file for arm in loaded.arms.values() if (file := arm.workload.own_file) is not None}
    return build(
        frozenset((place, module) for place, module in used if not module.startswith("harness.worker.")),
        frozenset((file, _read(file)) for file in own_files),
    )


def require_unchanged(archive: bytes, own_files: Iterable[str]) -> None:
    """InputError where a user's file is not the one that was planned with, of which the archive has a copy."""
    with zipfile.ZipFile(io.BytesIO(archive)) as copies:
        for file in own_files:
            if copies.read(_place_of(file)) != _read(file):
                raise InputError(f"{file} was changed since the plan was made; run the scenario anew")


def copies(archive: Path) -> dict[str, int]:
    """Checksums of what an archive has a copy of, by its place; DamagedRunError where it cannot be read."""
    try:
        with zipfile.ZipFile(archive) as found:
            return {each.filename.removeprefix(_OWN[:-1]): each.CRC for each in found.infolist()}
    except (OSError, zipfile.BadZipFile) as error:
        raise DamagedRunError(f"{archive} cannot be read: {error}") from error


def _read(file: str) -> bytes:
    try:
        return Path(file).read_bytes()
    except OSError as error:
        raise InputError(f"{file} cannot be read: {(error.strerror or str(error)).lower()}") from error


def _place_of(file: str) -> str:
    return f"{_OWN}{file.lstrip('/')}"


@cache
def build(
    others: frozenset[tuple[str, str]] = frozenset(), own_files: frozenset[tuple[str, bytes]] = frozenset()
) -> bytes:
    """The archive's bytes; ``others`` are files to add, by their place in the worker and their module.

    ``own_files`` of the user are in it, by their path, as evidence: they run from where they are.
    """
    root = _folder()
    files = {path.relative_to(root).as_posix(): path for path in root.rglob("*") if path.suffix in (".py", ".npz")}
    files |= {place: registry.source(module) for place, module in others}
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as archive:
        _add(archive, "__main__.py", _MAIN.encode())
        for name, path in sorted(files.items()):
            _add(archive, f"{PACKAGE}/{name}", path.read_bytes())
        for file, text in sorted(own_files):
            _add(archive, _place_of(file), text)
    return buffer.getvalue()


def _folder() -> Path:
    spec = find_spec("harness.worker")
    assert spec is not None and spec.origin is not None
    return Path(spec.origin).parent


def _add(archive: zipfile.ZipFile, name: str, data: bytes) -> None:
    archive.writestr(zipfile.ZipInfo(name, _EPOCH), data)


def digest(archive: bytes) -> str:
    """SHA-256 of an archive."""
    return hashlib.sha256(archive).hexdigest()
