"""Which harness this is: a version says it only when it is released."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path

_ROOT = Path(__file__).parent.parent


@cache
def digest() -> str:
    """SHA-256 over all source files of the harness, by name."""
    digest = hashlib.sha256()
    for path in sorted(path for pattern in ("*.py", "*.c") for path in _ROOT.rglob(pattern)):
        digest.update(path.relative_to(_ROOT).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()
