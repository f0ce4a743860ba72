"""For which GPUs a library has machine code, read from the library itself.

CUDA's compiler puts what it made into the section ``.nv_fatbin`` of an ELF file: containers (``0xBA55ED50``) with an
entry for each architecture, machine code or PTX. The layout is not documented; it was read off `mxnet-cu112` 1.9.1,
`nvidia-nccl-cu11` and a library that nvcc 13.0 made, and held to what `cuobjdump` says of the last.
"""

from __future__ import annotations

import mmap
import re
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from harness.base.errors import InputError

Capability = tuple[int, int]
"""The compute capability of a GPU, as (9, 0)."""

SECTION = b".nv_fatbin"
_CONTAINER = struct.pack("<I", 0xBA55ED50)
_HEAD, _ENTRY = struct.Struct("<4sHHQ"), struct.Struct("<HHIQIIHHI")
_PTX, _MACHINE_CODE = 1, 2
_RUNTIME = re.compile(rb"\0libcudart\.so\.(\d+)(?:\.(\d+))?\0")


@dataclass(frozen=True)
class MachineCode:
    """What a library has: machine code and PTX, by compute capability.

    ``cuda``: the version of the runtime that it is linked with, None where it names none: for CPUs only, or statically.
    """

    exact: frozenset[Capability]
    ptx: frozenset[Capability]
    cuda: tuple[int, int] | None = None

    @property
    def is_for_gpus(self) -> bool:
        """Whether it was built with CUDA."""
        return bool(self.exact or self.ptx or self.cuda)

    @property
    def words(self) -> str:
        """As in ``5.0, 6.0, 7.0, PTX of 8.0``; ``none``."""
        return ", ".join([*map(text, sorted(self.exact)), *(f"PTX of {text(each)}" for each in sorted(self.ptx))]) or (
            "none"
        )

    def runs_on(self, gpu: Capability) -> bool:
        """Machine code runs on GPUs of its major version that are no older, PTX on all that are no older.

        CUDA C++ Programming Guide, "Binary Compatibility" and "PTX Compatibility".
        """
        near = any(major == gpu[0] and minor <= gpu[1] for major, minor in self.exact)
        return near or any(each <= gpu for each in self.ptx)


def text(capability: Capability) -> str:
    """As NVIDIA writes it: ``8.6``."""
    return "{}.{}".format(*capability)


def read(library: Path) -> MachineCode:
    """Of a library; InputError where it is no ELF file of 64 bits, or is cut short."""
    try:
        with library.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as body:
            found = list(_entries(body, *_section(body)))
            runtime = _RUNTIME.search(body)
            cuda = (int(runtime[1]), int(runtime[2] or 0)) if runtime else None
    except (OSError, ValueError, struct.error, IndexError, OverflowError) as error:
        why = str(getattr(error, "strerror", None) or error).lower()
        raise InputError(f"{library}: its machine code cannot be read: {why}") from error
    by_kind = {kind: frozenset(divmod(number, 10) for what, number in found if what == kind) for kind in (1, 2)}
    return MachineCode(by_kind[_MACHINE_CODE], by_kind[_PTX], cuda)


def _section(body: mmap.mmap) -> tuple[int, int]:
    """Where the section begins and ends; (0, 0) where there is none."""
    if body[:5] != b"\x7fELF\x02":
        raise ValueError("no ELF file of 64 bits")
    table, size, count, names = *struct.unpack_from("<Q", body, 40), *struct.unpack_from("<HHH", body, 58)
    headers = [struct.unpack_from("<II4Q", body, table + number * size) for number in range(count)]
    start = headers[names][4] if headers else 0
    for name, _, _, _, offset, length in headers:
        if body[start + name : start + name + len(SECTION) + 1] == SECTION + b"\0":
            if offset + length > len(body):
                raise ValueError("the file is cut short")
            return offset, offset + length
    return 0, 0


def _entries(body: mmap.mmap, at: int, end: int) -> Iterator[tuple[int, int]]:
    """Kind and architecture (as 86) of each entry of each container."""
    while 0 <= (at := body.find(_CONTAINER, at, end)) < end:
        _, _, head, size = _HEAD.unpack_from(body, at)
        at, last = at + head, at + head + size
        while at < last:
            kind, _, header, length, _, _, _, _, architecture = _ENTRY.unpack_from(body, at)
            if not header:
                raise ValueError(f"an entry without a header at byte {at}")
            yield kind, architecture
            at += header + length
        at = last
