from __future__ import annotations

import sys
from pathlib import Path

import pytest

from harness.base.errors import InputError
from harness.scenario.schema import Target
from harness.targets import resolve
from harness.targets.interpreter import on_disk

ASKED = Target(mxnet="1.8.0.post0", env={"A": "1"})


def test_the_command_line_comes_first_then_the_scenario_then_the_default() -> None:
    assert resolve.settle(ASKED, None, "/bin/python") == Target(python="/bin/python", env={"A": "1"})
    assert resolve.settle(ASKED, "1.9.0", None) == Target(mxnet="1.9.0", env={"A": "1"})
    assert resolve.settle(ASKED, None, None) == ASKED
    assert resolve.settle(Target(), None, None) == Target(mxnet="1.9.1")
    with pytest.raises(InputError, match="'abc' is not a version"):
        resolve.settle(Target(), "abc", None)


def test_an_interpreter_on_disk(tmp_path: Path) -> None:
    assert on_disk(sys.executable).python == Path(sys.executable)
    (tmp_path / "python").touch()
    for path, message in (
        ("/no/such/python", "there is no interpreter at /no/such/python"),
        (str(tmp_path / "python"), "cannot be executed"),
        ("~no-such-user/python", "is not a path that can be looked at"),
        ("x" * 5000, "is not a path that can be looked at"),
    ):
        with pytest.raises(InputError, match=message):
            on_disk(path)
