from __future__ import annotations

import io
import zipfile

from harness.execution import worker_archive


def test_the_archive_is_the_same_each_time_and_holds_the_worker() -> None:
    first = worker_archive.build()
    assert worker_archive.digest(first) == worker_archive.digest(worker_archive.build())
    names = zipfile.ZipFile(io.BytesIO(first)).namelist()
    assert names[0] == "__main__.py"
    assert {"worker/trainings/gluon.py", "worker/faults/nan.py", "worker/models/mlp.py"} <= set(names)
    assert "worker/data/digits.npz" in names
    assert not any("__pycache__" in name for name in names)
