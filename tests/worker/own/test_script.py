"""A script finds what it would find without the harness."""

from __future__ import annotations

import sys
import types
from pathlib import Path

import pytest

from harness.worker.own.script import forget_modules_of


@pytest.mark.parametrize(
    ("file", "kept"),
    [
        ("loaded_before.py", False),
        ("loaded_before/__init__.py", False),
        ("loaded_before/data.txt", True),  # a folder is a module only where there is no other
        ("loaded_before.txt", True),
        ("other.py", True),
    ],
)
def test_a_file_beside_a_script_comes_before_what_the_worker_imported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, file: str, kept: bool
) -> None:
    for name in ("loaded_before", "loaded_before.part"):
        monkeypatch.setitem(sys.modules, name, types.ModuleType(name))
    (tmp_path / file).parent.mkdir(exist_ok=True)
    (tmp_path / file).touch()
    forget_modules_of(str(tmp_path))
    assert ("loaded_before" in sys.modules, "loaded_before.part" in sys.modules) == (kept, kept)


def test_what_every_interpreter_has_stays(tmp_path: Path) -> None:
    for name in ("os.py", "sys.py"):
        (tmp_path / name).touch()
    forget_modules_of(str(tmp_path))
    assert {"os", "sys"} <= sys.modules.keys()


def test_a_folder_that_is_gone_changes_nothing(tmp_path: Path) -> None:
    before = dict(sys.modules)
    forget_modules_of(str(tmp_path / "gone"))
    assert sys.modules == before
