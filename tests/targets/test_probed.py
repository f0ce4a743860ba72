"""What a target says of itself; a Python that has no MXNet, or does not start, is told."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from harness.base.errors import TargetError
from harness.execution import worker_archive
from harness.targets.interpreter import Interpreter
from harness.targets.probed import Probed, Taken, probe

TAKEN = Taken(("data", "ctx"), ("data",), False, 2)


@pytest.mark.parametrize(
    ("taken", "keywords", "places", "why"),
    [
        (TAKEN, ("ctx",), 1, None),
        (TAKEN, ("data",), 0, None),
        (TAKEN, ("ctx",), 0, "needs data"),
        (TAKEN, ("device",), 1, "takes no argument device"),
        (TAKEN, (), 3, "takes 2 arguments, not 3"),
        (Taken(("data",), (), True, 1), ("device",), 1, None),
        (Taken(("data",), (), False, None), (), 9, None),
        (Taken(), ("anything",), 9, None),
    ],
)
def test_what_can_be_called_how(taken: Taken, keywords: tuple[str, ...], places: int, why: str | None) -> None:
    assert taken.refuses(keywords, places) == why


def test_from_a_file_as_it_was() -> None:
    found = Probed(
        {"mxnet": "1.9.1", "horovod": ""},
        {"MKLDNN": True},
        {"mxnet.nd.array": TAKEN, "mxnet.gone": None, "mxnet.cpu": Taken()},
        frozenset({"MXNET_A"}),
        ("no GPU",),
    )
    assert Probed.from_json(found.as_json()) == found


def _fails(python: Path) -> str:
    with pytest.raises(TargetError) as error:
        probe(Interpreter(python), {}, [], worker_archive.PACKAGE, worker_archive.build())
    return str(error.value)


def test_a_python_without_mxnet() -> None:
    assert "does not import mxnet: exit status 1: ModuleNotFoundError: No module named 'mxnet'" in _fails(
        Path(sys.executable)
    )


def test_what_cannot_be_started_or_dies(tmp_path: Path) -> None:
    assert "cannot be started: no such file" in _fails(tmp_path / "python")
    dying = tmp_path / "python"
    dying.write_text("#!/bin/sh\nkill -SEGV $$\n")
    dying.chmod(0o755)
    assert "does not import mxnet: signal 11: it said nothing" in _fails(dying)
    for script in ("echo imported; kill -SEGV $$", "kill -KILL $$"):
        dying.write_text(f"#!/bin/sh\n{script}\n")
        assert "did not come to say what its mxnet has" in _fails(dying), "that says nothing of its MXNet's start"
