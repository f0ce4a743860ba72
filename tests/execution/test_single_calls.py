"""One call in two targets; real ones are made in `tests/e2e/test_operators.py`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, cast

import pytest

from harness.execution.operator_process import DiedError, Pass
from harness.execution.single_calls import SingleCalls
from harness.execution.sweep import Sweep

PASSES = (cast(Pass, "old"), cast(Pass, "new"))
CASE = {
    "op": "op",
    "case": "op(2n) base",
    "shapes": [[2]],
    "kinds": ["normal"],
    "params": {},
    "variant": "base",
    "x": 1,
}


class Child:
    """Does not survive tensors of two; says what it was asked."""

    def __init__(self, target: str) -> None:
        self.target, self.closed = target, False

    def ask(self, what: Mapping[str, Any], patience: float) -> Iterator[dict[str, Any]]:
        if self.target == "new" and what.get("once", {}).get("shapes") == [[2]]:
            raise DiedError("crashed", 11)
        if "write" in what:
            told = {"status": "ok" if self.target == "old" else "error", "files": {"saved": self.target}}
            yield {"end": what["write"], **told}
            return
        if "read" in what:
            yield {"end": what["read"], "status": "ok", "by": self.target, "files": what["files"]}
            return
        yield {"end": "op", "status": "ok", "asked": sorted(what["once"])}

    def close(self) -> None:
        self.closed = True


class Targets:
    def __init__(self) -> None:
        self.children: list[Child] = []
        self.is_stopped = False

    def stopped(self) -> bool:
        return self.is_stopped

    def started(self, asked: Pass, scratch: str) -> Child:
        self.children.append(Child(str(asked)))
        return self.children[-1]


def test_who_does_not_survive_a_call_is_replaced_and_all_end() -> None:
    targets = Targets()
    calls = SingleCalls(cast(Sweep, targets), PASSES, "")
    old, new = calls.ask(CASE)
    assert (old["status"], old["asked"]) == ("ok", ["case", "kinds", "op", "params", "shapes", "variant"])
    assert new == {"status": "crashed", "signal": 11}
    assert [each["status"] for each in calls.ask({**CASE, "shapes": [[1]]})] == ["ok", "ok"]
    assert [child.target for child in targets.children] == ["old", "new", "new"]
    calls.close()
    assert all(child.closed for child in targets.children)


def test_files_that_one_wrote_are_read_by_both() -> None:
    calls = SingleCalls(cast(Sweep, Targets()), PASSES, "")
    files = calls.files(0, "files.x")
    assert files == {"saved": "old"}
    assert calls.files(1, "files.x") is None  # it did not end well
    both = calls.read("files.x", files)
    assert [(each["by"], each["files"]) for each in both] == [("old", files), ("new", files)]


def test_it_ends_between_calls_where_it_is_stopped() -> None:
    targets = Targets()
    targets.is_stopped = True
    with pytest.raises(KeyboardInterrupt):
        SingleCalls(cast(Sweep, targets), PASSES, "").ask(CASE)
