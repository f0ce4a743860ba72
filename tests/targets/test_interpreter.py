"""Interpreters that cannot train are refused before anything runs."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from harness.base.errors import InputError
from harness.targets.interpreter import installed, require_mxnet


def test_a_python_without_mxnet_is_named() -> None:
    with pytest.raises(InputError, match="there is no mxnet in"):
        require_mxnet(Path(sys.executable), {})


def test_mxnet_may_be_where_variables_say(tmp_path: Path) -> None:
    (tmp_path / "mxnet").mkdir()
    (tmp_path / "mxnet" / "__init__.py").write_text("raise SystemExit('nobody imports this')")
    require_mxnet(Path(sys.executable), {"PYTHONPATH": str(tmp_path)})


def test_what_the_shell_says_is_not_passed_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "mxnet").mkdir()
    (tmp_path / "mxnet" / "__init__.py").touch()
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    with pytest.raises(InputError, match="there is no mxnet in"):
        require_mxnet(Path(sys.executable), {})


def test_what_is_no_python_is_named() -> None:
    with pytest.raises(InputError, match="/bin/ls is no Python that runs here: exit status"):
        require_mxnet(Path("/bin/ls"), {})


def test_a_python_may_print_before_it_answers(tmp_path: Path) -> None:
    talks = tmp_path / "python"
    talks.write_text(f'#!/bin/sh\necho hello\nexec {sys.executable} "$@"\n')
    talks.chmod(0o755)
    assert installed(talks) == installed(Path(sys.executable))
    assert "pytest" in installed(talks)
    with pytest.raises(InputError, match="there is no mxnet in"):
        require_mxnet(talks, {})


def test_of_a_package_that_is_there_twice_the_one_that_is_imported_counts(tmp_path: Path) -> None:
    (tmp_path / "pytest-0.1.dist-info").mkdir()
    (tmp_path / "pytest-0.1.dist-info" / "METADATA").write_text("Name: pytest\nVersion: 0.1\n")
    first = tmp_path / "python"
    first.write_text(f'#!/bin/sh\nPYTHONPATH={tmp_path} exec {sys.executable} "$@"\n')
    first.chmod(0o755)
    assert installed(first)["pytest"] == "0.1"
