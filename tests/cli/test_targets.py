"""What `harness targets check` says of a Python with MXNet in it."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from harness import cli
from harness.base.errors import ImportFailedError
from harness.cli import targets
from harness.gpu import installed
from harness.gpu.devices import Driver, Gpu, Pair
from harness.gpu.machine_code import MachineCode
from harness.targets import library, probed


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


def _for_gpus(monkeypatch: pytest.MonkeyPatch, *gpus: Gpu, pairs: tuple[Pair, ...] = ()) -> None:
    """Any Python's library is one for GPUs, and these are here."""
    code = MachineCode(frozenset({(8, 0), (8, 6)}), frozenset(), (11, 0))
    monkeypatch.setattr(library, "machine_code_of", lambda _: code)
    monkeypatch.setattr(installed, "driver", lambda: Driver("535", (12, 2), gpus, pairs))


@pytest.mark.parametrize(
    ("capability", "code", "told"),
    [
        ("8.9", 0, "  has code for compute capability 8.9"),
        ("9.0", 1, "compute capability 9.0, and the library has machine code for 8.0"),
    ],
)
def test_a_gpu_that_is_not_here_can_be_asked_about(
    capability: str, code: int, told: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    _for_gpus(monkeypatch)
    asked = ["targets", "check", "--python", sys.executable, "--capability", capability]
    assert cli.main(asked) == code
    assert told in capsys.readouterr().out


def test_gpus_that_do_not_reach_each_other_are_told(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    two = [Gpu(number, "A100", None, (8, 0), 1 << 35, None, False) for number in range(2)]
    _for_gpus(monkeypatch, *two, pairs=(Pair(0, 1, "one host bridge", False),))
    monkeypatch.setattr(targets, "_imported", lambda _: {"versions": {"mxnet": "1.9.1"}, "fails": ""})
    assert cli.main(["targets", "check", "--python", sys.executable]) == 0
    told = capsys.readouterr().out
    assert told.count("gpu(0) and gpu(1) do not reach each other's memory") == 1
    assert "  runs on gpu(0)\n  runs on gpu(1)\n" in told


@pytest.mark.parametrize("given", ["9", "x.y", "8.9.1"])
def test_what_is_no_capability(given: str) -> None:
    with pytest.raises(SystemExit) as caught:
        cli.main(["targets", "check", "--capability", given])
    assert caught.value.code == 2


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
