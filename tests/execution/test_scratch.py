"""What was written to a layer, and what is no news."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from harness.base.errors import StorageError
from harness.execution import scratch


@pytest.mark.parametrize("kind", [scratch.COPY, scratch.UPPER])
def test_pipes_are_left_out_and_files_are_not(tmp_path: Path, kind: str) -> None:
    layer, folder = tmp_path / "layer", tmp_path / "folder"
    (layer / kind).mkdir(parents=True)
    folder.mkdir()
    os.mkfifo(layer / kind / "pipe")
    (layer / kind / "model.params").write_bytes(b"new")
    scratch._take_out_what_is_no_news(layer, folder)
    assert [path.name for path in (layer / kind).iterdir()] == ["model.params"]


def test_what_cannot_be_moved_is_told_with_its_place(tmp_path: Path) -> None:
    written = tmp_path / "written"
    written.mkdir()
    (tmp_path / "run").write_text("no folder")
    with pytest.raises(StorageError, match=f"what the script wrote lies in {written}: it cannot be moved to "):
        scratch._move(written, tmp_path / "run" / "main" / "worker-0")
    assert written.is_dir()
