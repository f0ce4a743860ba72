"""MXNet's library in a target."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from harness.base.errors import InputError
from harness.targets import library


def test_a_python_without_mxnet() -> None:
    with pytest.raises(InputError, match=r"has no mxnet with a libmxnet.so beside it"):
        library.path_of(Path(sys.executable))


def test_what_is_no_python() -> None:
    with pytest.raises(InputError, match="is no Python that runs here"):
        library.path_of(Path("/nothing/python"))


@pytest.mark.e2e
def test_the_library_for_processors_is_for_no_gpu(target: Path) -> None:
    found = library.machine_code_of(target)
    assert (found.words, found.cuda) == ("none", None)
