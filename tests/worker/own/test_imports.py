"""Who waits for a module is told once it is there."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from pathlib import Path

import pytest

from harness.worker.own import imports


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    folder = tmp_path / "told_of_it"
    folder.mkdir()
    (folder / "__init__.py").write_text("from . import part\nready = True\n")
    (folder / "part.py").write_text("")
    monkeypatch.syspath_prepend(str(tmp_path))
    return folder.name


def test_it_is_told_once_with_the_module_complete(package: str) -> None:
    told: list[bool] = []
    imports.when(package, lambda module, seconds: told.append(module.ready and seconds > 0))
    module = importlib.import_module(package)
    importlib.reload(module)
    assert told == [True]
    assert not any(isinstance(finder, imports._Finder) for finder in sys.meta_path)
    del sys.modules[package]


def test_who_asks_whether_it_is_there_does_not_keep_others_from_being_told(package: str) -> None:
    told: list[str] = []
    imports.when(package, lambda module, seconds: told.append(module.__name__))
    assert importlib.util.find_spec(package) is not None
    assert told == []
    importlib.import_module(package)
    assert told == [package]
    assert not any(isinstance(finder, imports._Finder) for finder in sys.meta_path)
    del sys.modules[package]


def test_its_loader_is_as_it_was(package: str) -> None:
    imports.when(package, lambda module, seconds: None)
    module = importlib.import_module(package)
    assert "exec_module" not in vars(module.__spec__.loader)
    del sys.modules[package]


def test_all_who_listen_are_told(package: str) -> None:
    told: list[str] = []
    for name in ("first", "second"):
        imports.when(package, lambda module, seconds, name=name: told.append(name))
    module = importlib.import_module(package)
    assert sorted(told) == ["first", "second"]
    assert "exec_module" not in vars(module.__spec__.loader)
    assert not any(isinstance(finder, imports._Finder) for finder in sys.meta_path)
    del sys.modules[package]
