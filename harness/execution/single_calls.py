"""Calls that are made once in two targets, one after the other: what became of each."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from harness.execution.sweep import CASE_SECONDS, Child, DiedError, Pass, Sweep

_GIVEN = ("op", "case", "shapes", "kinds", "params", "variant")


class SingleCalls:
    """A process of each target; who does not survive a call is replaced. ``scratch`` is the folder that they run in."""

    def __init__(self, sweep: Sweep, passes: tuple[Pass, Pass], scratch: str) -> None:
        self._sweep, self._passes, self._scratch = sweep, passes, scratch
        self._children = dict[int, Child]()

    def ask(self, case: Mapping[str, Any]) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
        """What the old and the new target make of a case as the sweep has it; KeyboardInterrupt where it is stopped."""
        if self._sweep.stopped():
            raise KeyboardInterrupt
        return self._of(0, case), self._of(1, case)

    def _of(self, side: int, case: Mapping[str, Any]) -> Mapping[str, Any]:
        if side not in self._children:
            self._children[side] = self._sweep.started(self._passes[side], self._scratch)
        try:
            (told,) = self._children[side].ask({"once": {name: case[name] for name in _GIVEN}}, CASE_SECONDS)
        except DiedError as died:
            self._children.pop(side).close()
            return {"status": died.status, "signal": died.signal}
        return dict(told)

    def close(self) -> None:
        """End both."""
        for child in self._children.values():
            child.close()
        self._children = {}
