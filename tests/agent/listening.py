"""Waits for what an agent says."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TypeVar

from harness.execution.backends.base import Agent
from harness.vocabulary import events
from harness.vocabulary.events import Event

PATIENCE = 20.0
Kind = TypeVar("Kind", bound=Event)


class Listener:
    """An agent, the folder it works in, and the events that nobody has waited for yet."""

    def __init__(self, agent: Agent, folder: Path) -> None:
        self.agent, self.folder = agent, folder
        self._lines: list[bytes] = []

    def until(self, kind: type[Kind]) -> Kind:
        """The next event of a kind, dropping those before it."""
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            self._lines += self.agent.read(0.0 if self._lines else 0.1).splitlines()
            while self._lines:
                event = events.decode(self._lines.pop(0))
                if isinstance(event, kind):
                    return event
        raise AssertionError(f"no {kind.__name__} within {PATIENCE} s")
