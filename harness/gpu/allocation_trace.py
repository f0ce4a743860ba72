"""What a training allocates and frees, in its order: ``a ID BYTES`` and ``f ID``, one a line, gzipped or not."""

from __future__ import annotations

import gzip
import os
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from harness.base.errors import InputError

LARGEST = 1 << 40
"""Bytes of one array: more is a mistake."""

_GZIP = b"\x1f\x8b"


@dataclass(frozen=True)
class AllocationTrace:
    """``events``: the array's number, and its bytes where it is allocated, 0 where it is freed.

    ``others``: devices whose allocations were seen while it was recorded, and are not in it.
    """

    name: str
    events: Sequence[tuple[int, int]]
    others: Sequence[str] = ()

    def scaled(self, factor: float) -> AllocationTrace:
        """Every array so many times as large, at least a byte: another batch size, roughly."""
        grown = [(array, max(1, round(size * factor)) if size else 0) for array, size in self.events]
        return AllocationTrace(self.name, grown)

    @property
    def peak(self) -> int:
        """The most bytes that are live at once."""
        sizes, live, most = dict[int, int](), 0, 0
        for array, size in self.events:
            live += size or -sizes[array]
            sizes[array] = size
            most = max(most, live)
        return most


def read(path: Path) -> AllocationTrace:
    """The trace in a file; InputError with its line where that says something else."""
    try:
        body = path.read_bytes()
        text = (gzip.decompress(body) if body.startswith(_GZIP) else body).decode()
    except (OSError, EOFError, UnicodeDecodeError, gzip.BadGzipFile, zlib.error) as error:
        why = str(getattr(error, "strerror", None) or error).lower()
        raise InputError(f"{path} cannot be read as a trace of allocations: {why}") from error
    events = list(_events(path, text))
    if not events:
        raise InputError(f"{path} has no allocations; they are lines `a ID BYTES`, and `f ID` where one is freed")
    return AllocationTrace(path.name.removesuffix(".gz").removesuffix(".trace"), events)


def _events(path: Path, text: str) -> Iterator[tuple[int, int]]:
    live = set[int]()
    for number, line in enumerate(text.splitlines(), 1):
        what, *numbers = line.split() or [""]
        if not what and not numbers:
            continue
        if len(numbers) != {"a": 2, "f": 1}.get(what) or not all(map(_is_number, numbers)):
            raise InputError(f"{path}:{number}:1: {line[:40]!r} is neither `a ID BYTES` nor `f ID`")
        array, size = int(numbers[0]), int(numbers[1]) if what == "a" else 0
        if what == "a" and not 1 <= size <= LARGEST:
            raise InputError(f"{path}:{number}:1: an array of {size} bytes; allowed are 1 to {LARGEST}")
        if (array in live) == (what == "a"):
            state = "is live already" if what == "a" else "is not live"
            raise InputError(f"{path}:{number}:1: array {array} {state}, so that it cannot be in `{line[:40]}`")
        (live.add if what == "a" else live.remove)(array)
        yield array, size


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) < 19


def write(trace: AllocationTrace, path: Path) -> None:
    """To a file, whole or not at all, gzipped where its name ends so; OSError as it comes."""
    lines = (f"a {array} {size}\n" if size else f"f {array}\n" for array, size in trace.events)
    body = "".join(lines).encode()
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        beside.write_bytes(gzip.compress(body, mtime=0) if path.suffix == ".gz" else body)
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)
