"""MXNet's library in a target."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from harness.base.errors import InputError
from harness.targets import library
from harness.targets.interpreter import Interpreter


def test_a_python_without_mxnet_has_none() -> None:
    assert library.path_of(Interpreter(Path(sys.executable))) is None
    assert library.machine_code_of(Interpreter(Path(sys.executable))) is None


def test_what_is_no_python() -> None:
    with pytest.raises(InputError, match="is no Python that runs here"):
        library.path_of(Interpreter(Path("/nothing/python")))


def test_one_that_lies_elsewhere_is_found_as_mxnet_finds_it(tmp_path: Path) -> None:
    """Built from source, with `libinfo.py` that says where."""
    (tmp_path / "mxnet").mkdir()
    (tmp_path / "mxnet" / "__init__.py").write_text("raise ImportError\n")
    (tmp_path / "libmxnet.so").write_text("no ELF file\n")
    (tmp_path / "mxnet" / "libinfo.py").write_text(f"def find_lib_path():\n    return ['{tmp_path}/libmxnet.so']\n")
    found = Interpreter(Path(sys.executable), env={"PYTHONPATH": str(tmp_path)})
    assert library.path_of(found) == tmp_path / "libmxnet.so"
    assert library.machine_code_of(found) is None


@pytest.mark.e2e
def test_the_library_for_processors_is_for_no_gpu(target: Path) -> None:
    found = library.machine_code_of(Interpreter(target))
    assert found is not None
    assert (found.words, found.cuda, found.is_for_gpus) == ("none", None, False)
