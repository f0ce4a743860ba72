"""Machine code in libraries, from files made by hand."""

from __future__ import annotations

import struct
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.base.errors import InputError
from harness.gpu import machine_code
from harness.gpu.machine_code import MachineCode

PTX, MACHINE_CODE = 1, 2


def container(*entries: tuple[int, int]) -> bytes:
    """A fatbin with an entry for each kind and architecture."""
    inside = b"".join(
        struct.pack("<HHIQIIHHI", kind, 0x101, 64, 24, 0, 0, 0, 0, arch).ljust(64, b"\1") + b"\xba" * 24
        for kind, arch in entries
    )
    return struct.pack("<IHHQ", 0xBA55ED50, 1, 16, len(inside)) + inside


def elf(section: bytes, name: bytes = b".nv_fatbin", strings: bytes = b"") -> bytes:
    """An ELF file with one section beside that of names."""
    names = b"\0" + name + b"\0.shstrtab\0"
    start = 64 + len(strings)
    table = start + len(section) + len(names)
    head = b"\x7fELF\2\1\1".ljust(16, b"\0") + struct.pack(
        "<HHIQQQIHHHHHH", 3, 62, 1, 0, 0, table, 0, 64, 0, 0, 64, 3, 2
    )
    headers = [(0, 0, 0, 0), (1, 1, start, len(section)), (2 + len(name), 3, start + len(section), len(names))]
    rows = b"".join(
        struct.pack("<IIQQQQIIQQ", at, kind, 0, 0, offset, size, 0, 0, 1, 0) for at, kind, offset, size in headers
    )
    return head + strings + section + names + rows


def read(folder: Path, body: bytes) -> MachineCode:
    (folder / "lib.so").write_bytes(body)
    return machine_code.read(folder / "lib.so")


def test_every_container_counts(tmp_path: Path) -> None:
    section = container((MACHINE_CODE, 50), (MACHINE_CODE, 86)) + b"\0" * 8 + container((PTX, 70), (MACHINE_CODE, 120))
    found = read(tmp_path, elf(section, strings=b"\0libcudart.so.11.0\0"))
    assert found == MachineCode(frozenset({(5, 0), (8, 6), (12, 0)}), frozenset({(7, 0)}), (11, 0))
    assert found.words == "5.0, 8.6, 12.0, PTX of 7.0"


@pytest.mark.parametrize(("name", "cuda"), [("12", (12, 0)), ("10.2", (10, 2))])
def test_names_of_other_runtimes(tmp_path: Path, name: str, cuda: tuple[int, int]) -> None:
    found = read(tmp_path, elf(b"", strings=f"\0libcudart.so.{name}\0".encode()))
    assert (found.cuda, found.is_for_gpus) == (cuda, True)


def test_a_runtime_that_is_linked_statically_has_no_name(tmp_path: Path) -> None:
    assert read(tmp_path, elf(container((MACHINE_CODE, 90)))).is_for_gpus


def test_a_library_for_cpus_has_none(tmp_path: Path) -> None:
    found = read(tmp_path, elf(container((MACHINE_CODE, 80)), name=b".nv_another"))
    assert (found.words, found.cuda) == ("none", None)


@pytest.mark.parametrize(
    ("body", "why"),
    [
        (b"", "cannot mmap an empty file"),
        (b"#!/bin/sh\n" * 20, "no elf file of 64 bits"),
        (elf(b"")[:40], "unpack_from requires a buffer"),
        (elf(container((MACHINE_CODE, 80))[:18] + bytes(86)), "an entry without a header"),
    ],
)
def test_what_is_no_library_or_is_cut_short(tmp_path: Path, body: bytes, why: str) -> None:
    with pytest.raises(InputError, match=why):
        read(tmp_path, body)


def test_a_section_beyond_the_end_is_cut_short(tmp_path: Path) -> None:
    body = bytearray(elf(container((MACHINE_CODE, 80))))
    table = struct.unpack_from("<Q", body, 40)[0]
    struct.pack_into("<Q", body, table + 64 + 32, len(body))
    with pytest.raises(InputError, match="cut short"):
        read(tmp_path, bytes(body))


@given(changes=st.lists(st.tuples(st.integers(0, 400), st.integers(0, 255)), min_size=1, max_size=12))
def test_a_damaged_library_is_refused_or_read(changes: list[tuple[int, int]]) -> None:
    body = bytearray(elf(container((MACHINE_CODE, 80), (PTX, 70))))
    for place, value in changes:
        body[place % len(body)] = value
    with tempfile.TemporaryDirectory() as folder, suppress(InputError):
        read(Path(folder), bytes(body))


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file"):
        machine_code.read(tmp_path / "nothing")


CU112 = MachineCode(frozenset({(5, 0), (6, 0), (7, 0), (8, 0), (8, 6)}), frozenset())
"""`mxnet-cu112` 1.9.1."""


@pytest.mark.parametrize(
    ("gpu", "runs"),
    [
        ((5, 2), True),
        ((7, 5), True),
        ((8, 0), True),
        ((8, 9), True),
        ((9, 0), False),
        ((12, 0), False),
        ((3, 5), False),
    ],
)
def test_which_gpus_mxnets_wheel_serves(gpu: tuple[int, int], runs: bool) -> None:
    """Turing (7.5) and Ada (8.9) by the code of their major version, Hopper (9.0) by none."""
    assert CU112.runs_on(gpu) is runs


def test_ptx_serves_all_that_came_later() -> None:
    code = MachineCode(frozenset(), frozenset({(7, 0)}))
    assert [code.runs_on(gpu) for gpu in ((6, 1), (7, 0), (9, 0))] == [False, True, True]


entries = st.lists(st.tuples(st.sampled_from([PTX, MACHINE_CODE]), st.integers(10, 130)), max_size=6)


@given(st.lists(entries, max_size=5), st.integers(0, 16))
def test_all_that_is_in_a_section_is_found(
    tmp_path_factory: pytest.TempPathFactory, containers: Sequence[Sequence[tuple[int, int]]], padding: int
) -> None:
    body = elf(b"".join(container(*each) + bytes(padding) for each in containers))
    found = read(tmp_path_factory.mktemp("elf"), body)
    wanted = [each for inside in containers for each in inside]
    assert found.exact == {divmod(arch, 10) for kind, arch in wanted if kind == MACHINE_CODE}
    assert found.ptx == {divmod(arch, 10) for kind, arch in wanted if kind == PTX}
