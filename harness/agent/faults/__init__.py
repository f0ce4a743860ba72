"""How the agent commits faults on processes: one file each, found by the fault's name. No receipts, no decisions.

Each file defines a class ``Commit``, and a function ``prepare(parameters)`` where something must be there before any
process starts. Files of other distributions are found by entry points of the group ``harness.agent.faults``. The agent
must start quickly, so that these files import the standard library and the agent only.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from types import ModuleType
from typing import Any, ClassVar

from harness.agent.children import Child
from harness.base.errors import RegistryError

Fields = dict[str, Any]
"""Of an event, beside its time, subject and fault."""


class Commitment:
    """Base: one fault in force on one process. ``reports`` is the kind of event that ``begin`` and ``end`` fill."""

    reports: ClassVar[str]
    exclusive: ClassVar[bool] = False
    """Whether a later one of its kind on the same process ends it."""

    ends_with_process: ClassVar[bool] = False
    """Whether it is over when the process ends, whatever is planned."""

    due: float = float("inf")
    """When ``turn`` has something to do, on the clock of `time.monotonic`."""

    def __init__(self, child: Child, parameters: Mapping[str, Any]) -> None:
        self.child, self.parameters = child, parameters

    def begin(self) -> Fields | None:
        """Begin; what there is to report, if anything. OSError or ValueError, leaving nothing, when that cannot be."""
        return None

    def turn(self) -> None:
        """Take the step whose time, `due`, has come."""

    def suspend(self) -> None:
        """Leave the process alone, because another fault stops it."""

    def resume(self) -> None:
        """Go on, because that fault is over."""

    def end(self) -> Fields | None:
        """Undo it; what there is to report, if anything."""
        return None


def find(name: str) -> type[Commitment]:
    """How the fault of that name is committed; RegistryError when nobody knows."""
    commit: type[Commitment] = module(name).Commit
    return commit


def module(name: str) -> ModuleType:
    """The file of that name, ours or another distribution's."""
    try:
        return importlib.import_module(f"{__name__}.{name}")
    except ModuleNotFoundError as error:
        if error.name != f"{__name__}.{name}":
            raise
    from importlib.metadata import entry_points  # 20 ms that only foreign faults pay

    for point in entry_points(group=__name__, name=name):
        return importlib.import_module(point.module)
    raise RegistryError(f"the agent cannot commit {name!r}: there is no {__name__}.{name}")
