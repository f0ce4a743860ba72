"""Where the layers of hosts lie while a run lasts, and where what was written to them goes.

An overlay's layer must not lie within the folder that it covers, and results often lie in a script's folder: layers lie
with the harness's caches, and what is in them moves into the run's folder in the end.
"""

from __future__ import annotations

import shutil
import stat
from contextlib import suppress
from pathlib import Path

from harness.agent.scratch import COPY, UPPER, WORK
from harness.base.errors import StorageError
from harness.faults import OnOwnDisk
from harness.planning.plan import Arm
from harness.storage.run_folder import RunFolder
from harness.targets.environment import cache_folder
from harness.topologies import Role
from harness.vocabulary.instructions import Scratch

WRITTEN = "written"
"""Below a run: ARM/HOST/ with what was written there; each process is a host, unless the scenario has a network."""


def of(run: RunFolder, arm: Arm, role: Role) -> Scratch | None:
    """The layer that a role works on, if the scenario asks for one."""
    script = arm.workload.script
    if script is None or not script.scratch:
        return None
    disks = [injection.part.disk for injection in arm.schedule if isinstance(injection.part, OnOwnDisk)]
    layer, runs = _layers(run, arm) / _name(role), run.path.parent.absolute()
    return Scratch(script.folder, str(layer), str(runs), max(disks, default=0))


def collect(run: RunFolder, arm: Arm) -> None:
    """Move what was written to the layers of an arm into the run's folder, and remove the layers."""
    script, layers = arm.workload.script, _layers(run, arm)
    if script is None or not layers.is_dir():
        return
    for layer in sorted(layers.iterdir()):
        _take_out_what_is_no_news(layer, Path(script.folder))
        written = next(filter(Path.is_dir, (layer / COPY, layer / UPPER)), None)
        if written is not None and any(written.iterdir()):
            _move(written, run.path / WRITTEN / arm.name / layer.name)
        for locked in (layer / WORK).glob("*"):
            locked.chmod(0o700)
    shutil.rmtree(layers)
    with suppress(OSError):  # those of another arm may lie beside them
        layers.parent.rmdir()


def _move(written: Path, place: Path) -> None:
    """StorageError says where it lies where it cannot be moved."""
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.move(written, place)
    except OSError as error:  # and with it `shutil.Error`
        why = error.strerror or "not all of it could be copied"
        raise StorageError(f"what the script wrote lies in {written}: it cannot be moved to {place}: {why}") from error


def _layers(run: RunFolder, arm: Arm) -> Path:
    return cache_folder().parent / "scratch" / run.id / arm.name


def _name(role: Role) -> str:
    return role.host or role.name.replace("/", "-")


def _take_out_what_is_no_news(layer: Path, folder: Path) -> None:
    """Sockets, pipes and the marks of an overlay for files that were removed; of a copy, all that is as it was."""
    copy = layer / COPY
    for path in [*(layer / UPPER).rglob("*"), *copy.rglob("*")]:
        mode = path.lstat().st_mode
        if stat.S_ISCHR(mode) or stat.S_ISSOCK(mode) or stat.S_ISFIFO(mode):
            path.unlink()
    for path in sorted(copy.rglob("*"), reverse=True):  # what is in a folder comes before it
        if path.is_dir() and not path.is_symlink():
            if not any(path.iterdir()):
                path.rmdir()
        elif _is_as_it_was(path, folder / path.relative_to(copy)):
            path.unlink()


def _is_as_it_was(path: Path, before: Path) -> bool:
    if path.is_symlink() or before.is_symlink():
        return path.is_symlink() and before.is_symlink() and path.readlink() == before.readlink()
    if not before.is_file():
        return False
    mine, theirs = path.stat(), before.stat()
    return (mine.st_size, mine.st_mtime_ns) == (theirs.st_size, theirs.st_mtime_ns)
