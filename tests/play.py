"""A conductor to play with: events in, lists of actions out."""

from __future__ import annotations

from typing import Any

from harness.execution.conductor import Conductor
from harness.planning.plan import Plan
from harness.vocabulary import events
from harness.vocabulary.instructions import Spawn

ARM = "main"
W0, W1, S0, SCHEDULER = "worker/0", "worker/1", "server/0", "scheduler"
ALL = (SCHEDULER, S0, W0, W1)


def kill(**at: Any) -> dict[str, Any]:
    return {"kill": {"select": {"role": "worker", "rank": 1}, "at": at}}


def pause(seconds: str, **at: Any) -> dict[str, Any]:
    return {"pause": {"select": {"role": "worker", "rank": 1}, "at": at, "for": {"time": seconds}}}


def slow(first: int, steps: int, role: str = "worker") -> dict[str, Any]:
    select = {"role": role, "rank": 0 if role == "server" else 1}
    return {"slow": {"select": select, "at": {"step": first}, "for": {"steps": steps}, "factor": 3}}


class Play:
    """A conductor and short words for what happens to it."""

    def __init__(self, plan: Plan) -> None:
        arm = plan.arms[0]
        spawns = {role.name: Spawn(role.name, ("python",), role.env, "/", "log") for role in arm.roles}
        self.conductor = Conductor(arm, 60.0, 30.0, spawns, 0.0)

    def on(self, kind: type[events.Event], role: str, *fields: Any, t: float = 1.0) -> list[Any]:
        return self.conductor.on(kind(t, ARM, role, *fields))

    def come_up(self, t: float = 1.0) -> list[Any]:
        """All processes start and both workers wait for credit."""
        self.conductor.begin()
        for role in ALL:
            self.on(events.Spawned, role, 1, None, t=t)
        self.imports(W0, t)
        self.imports(W1, t)
        self.on(events.Waiting, W0, 0, t=t)
        return self.on(events.Waiting, W1, 0, t=t)

    def imports(self, role: str, t: float = 1.0) -> list[Any]:
        """A worker shows that MXNet is there."""
        return self.on(events.Imported, role, 0.5, "3.11", "1.9.1", "1.23", [], t=t)

    def leave(self, *roles: str, status: int | None = 0, signal: int | None = None, t: float = 9.0) -> list[Any]:
        return [action for role in roles for action in self.on(events.Exited, role, status, signal, t=t)]
