from __future__ import annotations

import io
import zipfile

from harness import archive


def test_the_archive_is_the_same_each_time_and_holds_the_worker() -> None:
    first = archive.build()
    assert archive.digest(first) == archive.digest(archive.build())
    names = zipfile.ZipFile(io.BytesIO(first)).namelist()
    assert names[0] == "__main__.py"
    assert "worker/training.py" in names
    assert "worker/data/digits.npz" in names
    assert not any("__pycache__" in name for name in names)
