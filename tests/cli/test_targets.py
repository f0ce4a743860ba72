"""What `harness targets check` says of a Python with MXNet in it."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness import cli
from harness.base.errors import ImportFailedError
from harness.targets import probed


@pytest.mark.e2e
def test_what_is_imported_is_told_with_versions(target: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["targets", "check", "--python", str(target)]) == 0
    first, imports = capsys.readouterr().out.splitlines()
    assert first == f"{target}: CPUs only"
    assert imports.startswith("  imports: mxnet 1.9.1, python 3.")


@pytest.mark.e2e
def test_a_numpy_that_the_wheel_is_not_for_is_told(
    target: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """As numpy 1.24 and later, which have no `bool`: the error goes on over several lines."""
    (tmp_path / "sitecustomize.py").write_text(
        "import numpy\n"
        "def _missing(name): raise AttributeError(f\"module 'numpy' has no attribute {name!r}.\\nSee the notes.\")\n"
        "numpy.__getattr__ = _missing\n"
    )
    wrapper = tmp_path / "python"
    wrapper.write_text(f'#!/bin/sh\nPYTHONPATH={tmp_path} exec {target} "$@"\n')
    wrapper.chmod(0o755)
    assert cli.main(["targets", "check", "--python", str(wrapper)]) == 1
    told = capsys.readouterr().out.splitlines()[1]
    assert told.endswith(
        "does not import mxnet: exit status 1: AttributeError: module 'numpy' has no attribute 'bool'."
    )


def test_what_fails_is_told_and_no_version(
    target: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fails(*_: object) -> probed.Probed:
        raise ImportFailedError("python does not import mxnet: exit status 1: OSError: libcuda.so.1")

    monkeypatch.setattr(probed, "probe", fails)
    assert cli.main(["targets", "check", "--python", str(target)]) == 1
    assert capsys.readouterr().out.splitlines()[1:] == [
        "  python does not import mxnet: exit status 1: OSError: libcuda.so.1"
    ]
