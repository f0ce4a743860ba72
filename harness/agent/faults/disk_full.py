"""The disk of checkpoints, or of all that a script writes: a small one of its own, filled and emptied."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

from harness.agent import namespaces
from harness.agent.faults import Commitment, Fields

_FILLER = "filler"
_CHUNK = 1 << 20


def prepare(parameters: Mapping[str, Any]) -> None:
    """Mount a tmpfs of ``size`` bytes at ``path``, in our own mount namespace; OSError where that is forbidden."""
    path = Path(parameters["path"])
    path.mkdir(parents=True, exist_ok=True)
    namespaces.mount("tmpfs", str(path), "a disk of its own", kind="tmpfs", options=f"size={parameters['size']}")


class Commit(Commitment):
    """Take all that is free, and give it back."""

    reports: ClassVar[str] = "filled"

    def begin(self) -> Fields:
        before = _free(self.child.disk)
        _fill(self.child.disk / _FILLER)
        return {"before": before, "after": _free(self.child.disk)}

    def end(self) -> Fields:
        before = _free(self.child.disk)
        (self.child.disk / _FILLER).unlink(missing_ok=True)
        return {"before": before, "after": _free(self.child.disk)}


def _free(folder: Path) -> int:
    """Bytes that a file there can still have."""
    status = os.statvfs(folder)
    return status.f_bavail * status.f_frsize


def _fill(path: Path) -> None:
    """Write until there is no room left."""
    with open(path, "wb", buffering=0) as file:
        chunk = b"\0" * _CHUNK
        while chunk:
            try:
                file.write(chunk)
            except OSError:
                chunk = chunk[: len(chunk) // 2]
