"""Events of an agent whose clock is another one are told in the controller's time."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from harness.execution.run import _ArmRun
from harness.vocabulary import events
from harness.vocabulary.events import Event, Progress


def _taken(offset: float) -> tuple[list[Event], list[Event]]:
    """What the history and the conductor have of one event at second 5."""
    written: list[bytes] = []
    heard: list[Event] = []
    run: Any = object.__new__(_ArmRun)
    run._agent = SimpleNamespace(clock_offset=offset)
    run._history = SimpleNamespace(append=written.append)
    run._conductor = SimpleNamespace(on=lambda event: heard.append(event) or [])
    run._observe = lambda event: None
    run._take(events.encode(Progress(5.0, "main", "worker/0", 10)))
    return [events.decode(line) for line in b"".join(written).splitlines()], heard


def test_times_are_the_controllers() -> None:
    for offset, expected in ((0.0, 5.0), (100.0, 105.0), (-2.5, 2.5)):
        written, heard = _taken(offset)
        assert written == heard == [Progress(expected, "main", "worker/0", 10)]
