"""The worker as a zip application: the same bytes for the same sources, so that it can be named by its hash."""

from __future__ import annotations

import hashlib
import io
import zipfile
from functools import cache
from pathlib import Path

_SOURCE = Path(__file__).parent / "worker"
_EPOCH = (1980, 1, 1, 0, 0, 0)
_MAIN = "from worker.main import main\n\nmain()\n"


@cache
def build() -> bytes:
    """The archive's bytes."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as archive:
        _add(archive, "__main__.py", _MAIN.encode())
        for path in sorted(_SOURCE.rglob("*")):
            if path.suffix in (".py", ".npz"):
                _add(archive, f"worker/{path.relative_to(_SOURCE).as_posix()}", path.read_bytes())
    return buffer.getvalue()


def _add(archive: zipfile.ZipFile, name: str, data: bytes) -> None:
    archive.writestr(zipfile.ZipInfo(name, _EPOCH), data)


def digest(archive: bytes) -> str:
    """SHA-256 of an archive."""
    return hashlib.sha256(archive).hexdigest()
