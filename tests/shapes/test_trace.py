from __future__ import annotations

from pathlib import Path

import pytest

from harness.shapes.trace import Trace


def _trace(tmp_path: Path, text: str) -> Trace:
    file = tmp_path / "sizes.txt"
    file.write_text(text)
    return Trace(distribution="trace", file=str(file))


def test_sizes_in_their_order(tmp_path: Path) -> None:
    trace = _trace(tmp_path, "\ufeff12\n 40\n\n8\n")
    assert trace.refusal() is None
    assert trace.sizes(7, 500) == (12, 40, 8)
    assert trace.sizes(8, 2) == (12, 40)
    assert trace.extremes() == (8, 40)
    assert trace.varies


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("12\nmany\n", "sizes.txt:2: 'many' is not a size; allowed are 1 to 4096"),
        ("12\n0\n", "sizes.txt:2: '0' is not a size; allowed are 1 to 4096"),
        ("4097\n", "sizes.txt:1: '4097' is not a size; allowed are 1 to 4096"),
        ("-3\n", "sizes.txt:1: '-3' is not a size; allowed are 1 to 4096"),
        ("\n", "sizes.txt has 0 sizes; allowed are 1 to 10000"),
        ("8\n" * 10_001, "sizes.txt has 10001 sizes; allowed are 1 to 10000"),
    ],
)
def test_what_is_wrong_with_a_file(tmp_path: Path, text: str, why: str) -> None:
    assert _trace(tmp_path, text).refusal() == f"{tmp_path}/{why}"


def test_no_file(tmp_path: Path) -> None:
    trace = Trace(distribution="trace", file=str(tmp_path / "nowhere.txt"))
    assert trace.refusal() == f"{tmp_path}/nowhere.txt cannot be read: no such file or directory"
