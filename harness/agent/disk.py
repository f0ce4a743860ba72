"""The disk of checkpoints: a small one of its own, filled and emptied; files on it damaged."""

from __future__ import annotations

import ctypes
import hashlib
import os
from dataclasses import dataclass
from pathlib import Path

FOLDER = "checkpoints"
SUFFIX = ".checkpoint"
_FILLER = "filler"
_CHUNK = 1 << 20
_libc = ctypes.CDLL(None, use_errno=True)


@dataclass(frozen=True)
class Damage:
    """A file before and after it was damaged; all empty where there is none."""

    file: str = ""
    before: str = ""
    after: str = ""
    size_before: int = 0
    size_after: int = 0


def mount(path: Path, size: int) -> None:
    """A tmpfs of ``size`` bytes in our own mount namespace, which ends with it; OSError where that is forbidden."""
    path.mkdir(parents=True, exist_ok=True)
    if _libc.mount(b"tmpfs", os.fsencode(path), b"tmpfs", 0, f"size={size}".encode()) != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), str(path))


def free(folder: Path) -> int:
    """Bytes that a file there can still have."""
    status = os.statvfs(folder)
    return status.f_bavail * status.f_frsize


def fill(folder: Path) -> None:
    """Write until there is no room left."""
    with open(folder / _FILLER, "wb", buffering=0) as file:
        chunk = b"\0" * _CHUNK
        while chunk:
            try:
                file.write(chunk)
            except OSError:
                chunk = chunk[: len(chunk) // 2]


def empty(folder: Path) -> None:
    """Take back what `fill` wrote."""
    (folder / _FILLER).unlink(missing_ok=True)


def damage(folder: Path, how: str) -> Damage:
    """Cut the newest checkpoint to half, or flip the lowest bit of its middle byte."""
    files = sorted(folder.glob(f"*{SUFFIX}"))
    if not files:
        return Damage()
    path = files[-1]
    try:
        whole = path.read_bytes()
    except FileNotFoundError:  # the worker has just deleted it
        return Damage()
    middle = len(whole) // 2
    left = whole[:middle] if how == "truncate" else whole[:middle] + bytes([whole[middle] ^ 1]) + whole[middle + 1 :]
    path.write_bytes(left)
    found = path.read_bytes()
    return Damage(path.name, _sha256(whole), _sha256(found), len(whole), len(found))


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
