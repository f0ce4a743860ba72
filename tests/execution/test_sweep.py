"""What a sweep that goes on knows of the one before; real targets are swept in `tests/e2e/test_operators.py`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from harness.base.errors import TargetError
from harness.execution.operator_process import DiedError, Pass
from harness.execution.sweep import Sweep, _Cases, _operator
from harness.execution.sweep_lines import deadly, read
from harness.targets.interpreter import Interpreter
from tests.execution.test_sweep_lines import LINES


def test_a_fork_that_hangs_is_waited_for_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = list[bool]()

    class Child:
        def __init__(self, forked: bool) -> None:
            self.followed = forked

        def ask(self, what: Any, patience: float) -> Iterator[Any]:
            raise DiedError("hung", None)

        def close(self) -> None:
            """It has no process."""

    def child(self: Sweep, of: Pass, scratch: str, forked: bool = False) -> Any:
        asked.append(forked)
        return Child(forked)

    monkeypatch.setattr(Sweep, "_child", child)
    monkeypatch.setattr(Sweep, "started", lambda *given: Child(False))
    work, usual = Sweep(tmp_path, 1), Pass("from", Interpreter(Path("python")), {}, tmp_path / "from.jsonl")
    naive = Pass("from-naive", usual.interpreter, {"MXNET_ENGINE_TYPE": "NaiveEngine"}, tmp_path / "from-naive.jsonl")
    assert [work._forking(each, "").followed for each in (usual, usual, naive)] == [False] * 3
    assert asked == [True, True], "once for each environment"


def test_what_was_cut_off_takes_no_other_line_with_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Child:
        last, followed = None, False

        def ask(self, what: Any, patience: float) -> Iterator[Any]:
            yield {"case": "op(2) base", "op": "op", "status": "ok"}
            yield {"end": "op"}

        def close(self) -> None:
            """It has no process."""

    monkeypatch.setattr(Sweep, "started", lambda *given: Child())
    asked = Pass("from", Interpreter(Path("python")), {}, tmp_path / "from.jsonl")
    asked.file.write_text('5\n{"case": "op(2) base", "op": "op", "sta')
    assert Sweep(tmp_path, 1).run(asked, ["op"], lambda done, of: None)
    assert [line.get("case") for line in read(asked.file)] == ["op(2) base", None]


def test_what_a_process_did_not_survive_need_not_be_called_in_another_way(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    usual = tmp_path / "from.jsonl"
    usual.write_text("".join(json.dumps(line) + "\n" for line in LINES))
    assert deadly(usual) == {"op": {"op(4) base": "crashed"}}
    asked = list[Any]()

    class Child:
        last, followed = None, False

        def ask(self, what: Any, patience: float) -> Iterator[Any]:
            asked.append(json.loads(json.dumps(what)))
            yield {"case": "op(2) base", "op": "op", "status": "ok"}
            yield {"end": "op"}

        def close(self) -> None:
            """It has no process."""

    monkeypatch.setattr(Sweep, "started", lambda *given: Child())
    naive = Pass("from-naive", Interpreter(Path("python")), {}, tmp_path / "from-naive.jsonl")
    assert Sweep(tmp_path, 1).run(naive, ["op"], lambda done, of: None, deadly(usual))
    assert asked == [{"op": "op", "known": {"op(4) base": "crashed"}}]
    assert [line.get("case") for line in read(naive.file)] == ["op(2) base", None], "what was not called says nothing"


def test_what_a_case_is_made_of_is_known_though_no_process_survives_it() -> None:
    class Child:
        last = None

        def ask(self, what: Any, patience: float) -> Iterator[Any]:
            yield {"begin": "op(2n) base", "shapes": [[2]], "kinds": ["n"], "params": {}, "variant": "base"}
            raise DiedError("crashed", 11)

    lines = list[Any]()
    cases = _Cases("op", {})
    writer = SimpleNamespace(write=lines.append)
    assert _operator(cast(Any, Child()), cases, cast(Any, writer)) == (False, True)
    made = {"shapes": [[2]], "kinds": ["n"], "params": {}, "variant": "base"}
    assert lines == [{"case": "op(2n) base", "op": "op", "status": "crashed", "signal": 11, **made}]
    assert (cases.known, cases.between) == ({"op(2n) base": "crashed"}, 0)


def test_a_process_that_ends_between_cases_is_told_of_the_one_before_and_the_rest_is_asked(tmp_path: Path) -> None:
    """What the call before did to memory, or another operator's: the other cases are no less to be asked."""

    class Child:
        def __init__(self, *told: dict[str, str], last: dict[str, str] | None = None) -> None:
            self._told, self.last = told, last

        def ask(self, what: Any, patience: float) -> Iterator[Any]:
            yield from (dict(each) for each in self._told)
            raise DiedError("crashed", 11)

    answered = {"begin": "op(2n) base"}, {"case": "op(2n) base", "op": "op", "status": "ok"}
    lines, cases = list[Any](), _Cases("op", {})
    writer = cast(Any, SimpleNamespace(write=lines.append))
    assert _operator(cast(Any, Child(*answered)), cases, writer) == (False, True)
    assert (cases.known, [line["status"] for line in lines]) == ({"op(2n) base": "ok"}, ["ok", "crashed"])
    assert _operator(cast(Any, Child()), cases, writer) == (False, True)
    assert _operator(cast(Any, Child()), cases, writer) == (True, True), "no process gets further"
    assert lines[2:] == [{"end": "op", "unswept": "crashed"}]
    before = {"case": "other(2n) base", "op": "other"}
    assert _operator(cast(Any, Child(last=before)), _Cases("op", {}), writer) == (False, True)
    assert lines[3:] == [{**before, "status": "crashed", "signal": 11}], "another operator's call may be to blame"


def test_a_process_that_does_not_begin_is_no_call_that_crashes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Child:
        closed = False

        def ask(self, what: Any, patience: float) -> Iterator[Any]:
            raise DiedError("hung", None)
            yield

        def close(self) -> None:
            self.closed = True

    child = Child()
    monkeypatch.setattr(Sweep, "_child", lambda *_: cast(Any, child))
    asked = Pass("to", Interpreter(Path("/x")), {}, tmp_path / "to.jsonl")
    with pytest.raises(TargetError, match="to: a process that is to call operators hung as it began"):
        Sweep(tmp_path, 1).started(asked, "")
    assert child.closed
