"""Traces of allocations: read, written, and refused by their line."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from harness.base.errors import InputError
from harness.gpu import allocation_trace
from harness.gpu.allocation_trace import AllocationTrace

EVENTS = [(1, 100), (2, 50), (1, 0), (3, 70), (1, 10)]


@pytest.mark.parametrize("name", ["lstm.trace", "lstm.trace.gz"])
def test_what_was_written_is_read(tmp_path: Path, name: str) -> None:
    allocation_trace.write(AllocationTrace("lstm", EVENTS), tmp_path / name)
    assert allocation_trace.read(tmp_path / name) == AllocationTrace("lstm", EVENTS)
    assert (tmp_path / name).read_bytes().startswith(b"\x1f\x8b") == name.endswith(".gz")


def test_what_cannot_be_written_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(path: Path, body: bytes) -> None:
        path.touch()
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(OSError, match="No space left"):
        allocation_trace.write(AllocationTrace("t", [(1, 8)]), tmp_path / "t")
    assert list(tmp_path.iterdir()) == []


def test_its_form(tmp_path: Path) -> None:
    (tmp_path / "t").write_text("a 1 100\n\nf 1\n")
    assert allocation_trace.read(tmp_path / "t").events == [(1, 100), (1, 0)]


def test_the_most_that_is_live_and_larger_arrays() -> None:
    trace = AllocationTrace("t", EVENTS)
    assert trace.peak == 150
    assert trace.scaled(2).events == [(1, 200), (2, 100), (1, 0), (3, 140), (1, 20)]
    assert trace.scaled(0.001).peak == 3


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a 1\n", "t:1:1: 'a 1' is neither `a ID BYTES` nor `f ID`"),
        ("a 1 10\nb 2 10\n", "t:2:1: 'b 2 10' is neither"),
        ("a 1 -3\n", "t:1:1: 'a 1 -3' is neither"),
        ("a 1 0\n", "t:1:1: an array of 0 bytes; allowed are 1 to 1099511627776"),
        ("a 1 10\na 1 10\n", "t:2:1: array 1 is live already"),
        ("a 1 10\nf 2\n", "t:2:1: array 2 is not live"),
        ("\n", "t has no allocations"),
    ],
)
def test_what_it_is_not(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "t").write_text(text)
    with pytest.raises(InputError, match=message):
        allocation_trace.read(tmp_path / "t")


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "cut.gz").write_bytes(gzip.compress(b"a 1 10\n")[:-4])
    (tmp_path / "other").write_bytes(b"\xff\xfe")
    for name, why in (("cut.gz", "compressed file ended"), ("other", "codec"), ("none", "no such file")):
        with pytest.raises(InputError, match=f"{name} cannot be read as a trace of allocations: .*{why}"):
            allocation_trace.read(tmp_path / name)
