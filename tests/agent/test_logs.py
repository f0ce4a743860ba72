from __future__ import annotations

from pathlib import Path

import pytest

from harness.agent import logs


def test_head_and_tail_of_an_endless_log_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(logs, "LARGEST", 100)
    monkeypatch.setattr(logs, "HEAD", 10)
    monkeypatch.setattr(logs, "TAIL", 10)
    monkeypatch.setattr(logs, "LOOK_SECONDS", -1.0)
    path, watch = tmp_path / "log", logs.Logs()
    watch.watch(str(path))
    watch.trim()  # it is not there yet
    with open(path, "ab") as process:
        process.write(b"a" * 100)
        process.flush()
        watch.trim()
        assert path.read_bytes() == b"a" * 100
        process.write(b"b" * 100)
        process.flush()
        watch.trim()
        process.write(b"c" * 3)
    assert path.read_bytes() == b"a" * 10 + b"\n[the harness cut about 180 bytes here]\n" + b"b" * 10 + b"c" * 3
