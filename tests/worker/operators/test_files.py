"""Programs that write and read files; real MXNets run them in `tests/e2e/test_operators.py`."""

from __future__ import annotations

import base64
import zlib
from pathlib import Path

import pytest

from harness.worker.operators import files

HEAD, SHOWN = 14, 3
"""Lines that come before and after in a script: what draws and seeds, what it is about, and what prints."""


@pytest.mark.parametrize("name", files.names())
def test_a_script_of_what_reads_files_has_less_than_30_lines(name: str) -> None:
    for text in (files.writing(name), files.reading(name, {"saved.a": "x", "saved.b": "y"}), files.round_trip(name)):
        compile(text, name, "exec")
    assert HEAD + len(files.reading(name, {"saved.a": "x", "saved.b": "y"}).splitlines()) + SHOWN < 30


def test_files_come_out_of_a_program_as_they_were_packed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "saved.params").write_bytes(b"\x00\xff" * 9)
    (tmp_path / "other").write_text("stays")
    packed = files.packed()
    assert {name: zlib.decompress(base64.b64decode(data)) for name, data in packed.items()} == {
        "saved.params": b"\x00\xff" * 9
    }
    files.forget()
    assert [path.name for path in tmp_path.iterdir()] == ["other"]
    unpacks = files.reading("files.nd.save", packed).partition("outputs")[0]
    exec(compile(unpacks, "unpacks", "exec"), {})
    assert (tmp_path / "saved.params").read_bytes() == b"\x00\xff" * 9
