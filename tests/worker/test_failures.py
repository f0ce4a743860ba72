"""Whose fault an exception is."""

from __future__ import annotations

import functools
import sys
import sysconfig
from pathlib import Path
from types import SimpleNamespace

import pytest

from harness.worker import failures
from harness.worker.failures import AskedError, WrongAnswerError, is_defect

PACKAGE = Path(failures.__file__).parent
MXNET, SCRIPT = "/opt/mxnet/base.py", "/srv/train.py"


def raised(error: Exception, *files: object) -> bool:
    """Whether an error is a defect that came through functions of these files, the innermost last."""
    call = "raise error"
    scope: dict[str, object] = {"error": error}
    for number, file in enumerate(reversed(files)):
        exec(compile(f"def f{number}():\n    {call}", str(file), "exec"), scope)
        call = f"f{number}()"
    try:
        eval(call, scope)
    except Exception:
        trace = sys.exc_info()[2]
        assert trace is not None
        return is_defect(error, trace.tb_next, set())
    raise AssertionError("nothing was raised")


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ((SCRIPT,), False),
        ((PACKAGE / "own/script.py", SCRIPT, PACKAGE / "own/hooks.py", MXNET), False),  # what the script called
        ((SCRIPT, PACKAGE / "own/hooks.py", PACKAGE / "own/owners.py", MXNET), True),  # what only we asked for
        ((SCRIPT, PACKAGE / "own/hooks.py", PACKAGE / "steps.py", MXNET), False),  # a wait, for what the script issued
        ((SCRIPT, PACKAGE / "own/hooks.py", PACKAGE / "own/seen.py"), True),
        ((PACKAGE / "worker.py", PACKAGE / "models/mlp.py"), False),
    ],
)
def test_who_broke(files: tuple[object, ...], expected: bool) -> None:
    assert raised(ValueError("no"), *files) is expected


def test_what_was_asked_for_is_none() -> None:
    assert not raised(AskedError("no"), PACKAGE / "faults/exit.py")


def answers(**_: object) -> int:
    return 3


def test_what_a_function_of_the_users_answers_is_not_ours_and_has_its_line() -> None:
    wrapped = functools.wraps(answers)(lambda: answers())
    error = WrongAnswerError("batches returned int", wrapped)
    line = answers.__code__.co_firstlineno
    assert error.where == failures._where(error, None) == f"test_failures.py:{line}"
    assert not raised(error, PACKAGE / "batches.py")
    assert WrongAnswerError("loss", object()).where == ""


def test_what_leads_to_a_scripts_first_line_is_not_shown(capsys: pytest.CaptureFixture[str]) -> None:
    told = list[dict[str, object]]()

    class Channel:
        step = 7

        def emit(self, kind: str, **fields: object) -> None:
            told.append(fields)

    failures.report(Channel(), set())
    hook, sys.excepthook = sys.excepthook, sys.__excepthook__
    scope: dict[str, object] = {}
    exec(compile("def train():\n    raise ValueError('no data')", SCRIPT, "exec"), scope)
    exec(compile("def run():\n    train()", str(PACKAGE / "own" / "script.py"), "exec"), scope)
    try:
        scope["run"]()  # type: ignore[operator]
    except ValueError as error:
        trace = error.__traceback__
        assert trace is not None and trace.tb_next is not None
        hook(ValueError, error, trace.tb_next)
    said = capsys.readouterr().err
    assert f'File "{SCRIPT}", line 2, in train' in said
    assert "script.py" not in said
    where = "train.py:2"
    assert told == [{"error": "ValueError: no data", "defect": False, "mxnet": False, "step": 7, "where": where}]


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        (("train.py", "mxnet/base.py"), True),
        (("train.py", "mxnet/gluon/block.py", "numpy/core.py"), True),  # what MXNet asks of numpy
        (("train.py", "horovod/mxnet/__init__.py"), True),
        (("train.py", "numpy/core.py"), False),
        (("train.py", "mxnet/gluon/block.py", "train.py"), False),  # a network of the script's
        (("mxnet/train.py",), False),  # a folder of the user's that is called so
    ],
)
def test_whose_error_it_is(monkeypatch: pytest.MonkeyPatch, files: tuple[str, ...], expected: bool) -> None:
    packages = f"{sysconfig.get_path('purelib')}/"
    for name in ("mxnet", "horovod"):
        monkeypatch.setitem(sys.modules, name, SimpleNamespace(__file__=f"{packages}{name}/__init__.py"))
    users = ("train.py", "mxnet/train.py")
    found = [f"/srv/{file}" if file in users else f"{packages}{file}" for file in files]
    monkeypatch.setattr(failures, "_files", lambda trace: found)
    assert failures._is_mxnets(ValueError("no"), None) is expected
