"""What is asked once of two targets, one after the other: calls, and what they make of files that one of them wrote."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from harness.execution.operator_process import CASE_SECONDS, Child, DiedError, Pass
from harness.execution.sweep import Sweep

_GIVEN = ("op", "case", "shapes", "kinds", "params", "variant", "program")


class SingleCalls:
    """A process of each target; who does not survive a call is replaced. ``scratch`` is the folder that they run in.

    Whatever is asked raises KeyboardInterrupt where the sweep is stopped.
    """

    def __init__(self, sweep: Sweep, passes: tuple[Pass, Pass], scratch: str) -> None:
        self._sweep, self._passes, self._scratch = sweep, passes, scratch
        self._children = dict[int, Child]()

    def ask(self, case: Mapping[str, Any]) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
        """What the old and the new target make of a case as the sweep has it."""
        return self._of_both({"once": {name: case[name] for name in _GIVEN if name in case}})

    def files(self, side: int, name: str) -> Mapping[str, str] | None:
        """Files that a program writes in the old (0) or the new (1) target, packed; None where it does not end well."""
        told = self._of(side, {"write": name})
        return told["files"] if told["status"] == "ok" else None

    def read(self, name: str, files: Mapping[str, str]) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
        """What the old and the new target make of the same files, with the program that shows it."""
        return self._of_both({"read": name, "files": files})

    def _of_both(self, asked: Mapping[str, Any]) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
        return self._of(0, asked), self._of(1, asked)

    def _of(self, side: int, asked: Mapping[str, Any]) -> Mapping[str, Any]:
        if self._sweep.stopped():
            raise KeyboardInterrupt
        if side not in self._children:
            self._children[side] = self._sweep.started(self._passes[side], self._scratch)
        try:
            (told,) = self._children[side].ask(asked, CASE_SECONDS)
        except DiedError as died:
            self._children.pop(side).close()
            return {"status": died.status, "signal": died.signal}
        return dict(told)

    def close(self) -> None:
        """End both; what is asked next is asked of new ones."""
        for child in self._children.values():
            child.close()
        self._children = {}
