from __future__ import annotations

import io
import zipfile
from pathlib import Path

import pytest

from harness.base.errors import DamagedRunError, InputError
from harness.execution import worker_archive
from harness.planning.validation import load


def test_the_archive_is_the_same_each_time_and_holds_the_worker() -> None:
    first = worker_archive.build()
    assert worker_archive.digest(first) == worker_archive.digest(worker_archive.build())
    names = zipfile.ZipFile(io.BytesIO(first)).namelist()
    assert names[0] == "__main__.py"
    inside = {name.removeprefix(f"{worker_archive.PACKAGE}/") for name in names}
    assert {"trainings/gluon.py", "faults/nan.py", "models/mlp.py", "own/script.py", "data/digits.npz"} <= inside
    assert not any("__pycache__" in name for name in names)


SCRIPT = "title: q\nworkload: {script: ./train.py}\n"


def test_a_script_is_kept_in_it_and_has_to_stay_as_it_was(tmp_path: Path) -> None:
    script, path = tmp_path / "train.py", tmp_path / "q.yaml"
    script.write_text("import mxnet")
    path.write_text(SCRIPT)
    archive = worker_archive.of(load(path))
    assert zipfile.ZipFile(io.BytesIO(archive)).read(f"own{script}") == b"import mxnet"
    worker_archive.require_unchanged(archive, [str(script)])
    script.write_text("import os")
    with pytest.raises(InputError, match=r"train\.py was changed since the plan was made"):
        worker_archive.require_unchanged(archive, [str(script)])
    (tmp_path / "worker.pyz").write_bytes(archive)
    copies = worker_archive.copies(tmp_path / "worker.pyz")
    script.write_text("import sys")
    (tmp_path / "worker.pyz").write_bytes(worker_archive.of(load(path)))
    now = worker_archive.copies(tmp_path / "worker.pyz")
    assert [name for name, before in copies.items() if now[name] != before] == [str(script)]
    (tmp_path / "worker.pyz").write_bytes(archive[:100])
    with pytest.raises(DamagedRunError, match=r"worker\.pyz cannot be read"):
        worker_archive.copies(tmp_path / "worker.pyz")
    script.unlink()
    with pytest.raises(InputError, match=r"train\.py cannot be read: no such file"):
        worker_archive.require_unchanged(archive, [str(script)])
