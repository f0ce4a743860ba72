"""A folder of the user's as each host of a real cluster would have it: what is written there stays with that host.

An overlay in a mount namespace of its own (Documentation/filesystems/overlayfs.rst), which the processes of a host
share, those that are started again, too; or a copy, where the kernel or the file system allows no overlay.
"""

from __future__ import annotations

import os
import re
import shutil
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from harness.agent import namespaces
from harness.vocabulary.instructions import Scratch

UPPER, WORK, COPY = "upper", "work", "copy"
"""Below a layer: what was written, what the overlay needs beside it; or all of the folder."""


@dataclass(frozen=True)
class Layer:
    """A layer that is there: its mount namespace as a descriptor, and where what is written to ``folder`` lies.

    ``disk``: a disk of its own that it lies on; ``below``: what that disk covers, as a descriptor.
    """

    namespace: int
    folder: Path
    written: Path
    disk: Path | None = None
    below: int | None = None

    def enter(self) -> None:
        """Move this process to where the folder is the layer's."""
        namespaces.join(self.namespace, namespaces.NEW_MOUNTS, f"scratch of {self.folder}")

    def seen(self, pattern: str) -> str:
        """A pattern of files, as those outside of the layer find them."""
        inside = pattern.startswith(f"{self.folder}/")
        return f"{self.written}{pattern[len(str(self.folder)) :]}" if inside else pattern

    def keep(self) -> None:
        """Save what lies on a disk of its own, which ends with us; `shutil.Error` with what could not be saved."""
        if self.below is not None:
            ignored = partial(_ignored, self.folder)
            shutil.copytree(self.written, f"/proc/self/fd/{self.below}/{self.written.name}", True, ignored)


def build(wanted: Scratch) -> Layer:
    """Make a layer; OSError with what failed. Needs a user and a mount namespace of our own, and one thread only."""
    folder, layer = Path(wanted.folder), Path(wanted.layer)
    layer.mkdir(parents=True)
    disk, below = (layer, os.open(layer, os.O_RDONLY)) if wanted.disk else (None, None)
    if disk is not None:
        namespaces.mount("tmpfs", str(disk), "a disk of its own", kind="tmpfs", options=f"size={wanted.disk}")
    home, here = os.open("/proc/self/ns/mnt", os.O_RDONLY), Path.cwd()
    try:
        namespaces.unshare(namespaces.NEW_MOUNTS, "a mount namespace")
        namespaces.mount("", "/", "mounts of our own", flags=namespaces.RECURSIVE | namespaces.PRIVATE)
        written = _mount(folder, layer, Path(wanted.without))
        return Layer(os.open("/proc/self/ns/mnt", os.O_RDONLY), folder, written, disk, below)
    finally:
        namespaces.join(home, namespaces.NEW_MOUNTS, "a mount namespace")
        os.chdir(here)  # setns(2) goes to the root
        os.close(home)


def _mount(folder: Path, layer: Path, without: Path) -> Path:
    """Returns where what is written lies."""
    upper, work, copy = (layer / name for name in (UPPER, WORK, COPY))
    for path in (upper, work):
        path.mkdir()
    each = zip(("lowerdir", "upperdir", "workdir"), (folder, upper, work), strict=True)
    options = ",".join(["userxattr", *(f"{name}={_escaped(path)}" for name, path in each)])
    try:
        namespaces.mount("overlay", str(folder), "an overlay", kind="overlay", options=options)
        return upper
    except OSError:
        shutil.copytree(folder, copy, symlinks=True, ignore=partial(_ignored, without))
        if without.is_relative_to(folder):
            (copy / without.relative_to(folder)).mkdir(parents=True, exist_ok=True)
            namespaces.mount(str(without), str(copy / without.relative_to(folder)), str(without), flags=namespaces.BIND)
        namespaces.mount(str(copy), str(folder), f"a copy of {folder}", flags=namespaces.BIND | namespaces.RECURSIVE)
        return copy


def _ignored(without: Path, folder: str, names: list[str]) -> list[str]:
    """What is not to be copied: the folder ``without``, which stays what it is, and what is no file, as sockets."""
    paths = {name: Path(folder, name) for name in names}
    return [
        name
        for name, path in paths.items()
        if path == without or not (path.is_symlink() or path.is_file() or path.is_dir())
    ]


def _escaped(path: Path) -> str:
    return re.sub(r"([\\,:])", r"\\\1", str(path))
