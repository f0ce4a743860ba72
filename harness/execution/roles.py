"""What is known of the processes of one arm, by the role that each has."""

from __future__ import annotations

from dataclasses import dataclass, field

from harness.planning.plan import Arm
from harness.vocabulary.events import Exited, Failed


@dataclass
class RoleState:
    """What is known of one process."""

    spawned: float | None = None
    imported: bool = False
    ready: bool = False
    waiting: int | None = None
    step: int = 0
    done: bool = False
    exited: Exited | None = None
    reported: int = 0
    failed: Failed | None = None
    dismissed: bool = False
    again: bool = False
    """Whether it is not the first of its role."""

    @property
    def lives(self) -> bool:
        return self.spawned is not None and self.exited is None


@dataclass
class Roles:
    """All roles of an arm, and what its workers have shown so far."""

    arm: Arm
    imported: bool = False
    """Whether any worker has imported MXNet."""

    kvstore: str = ""
    """That which a script's workers train with, where they told."""

    states: dict[str, RoleState] = field(init=False)

    def __post_init__(self) -> None:
        self.states = {role.name: RoleState() for role in self.arm.roles}

    def __getitem__(self, name: str) -> RoleState:
        return self.states[name]

    def spawn(self, name: str, now: float) -> None:
        """Note a role's first process, or one that takes the place of another."""
        self.states[name] = RoleState(spawned=now, again=self.states[name].spawned is not None)

    @property
    def workers(self) -> dict[str, RoleState]:
        return {name: self.states[name] for name in self.arm.workers}

    @property
    def alive(self) -> list[str]:
        return [name for name, state in self.states.items() if state.lives]

    @property
    def any_worker_lives(self) -> bool:
        return any(state.lives for state in self.workers.values())

    @property
    def importing(self) -> list[str]:
        """Workers that were started, again maybe, and have not shown that MXNet is there."""
        return [name for name, state in self.workers.items() if state.lives and not state.imported]

    @property
    def done(self) -> int:
        """How many workers have trained to their end."""
        return sum(state.done for state in self.workers.values())

    @property
    def most_taken(self) -> int | None:
        """The most steps of a worker that trained to its end; None where none did."""
        return max((state.step for state in self.workers.values() if state.done), default=None)

    def may_leave(self, name: str) -> bool:
        """Workers leave when they are done, the others once every worker is done or dead."""
        if name in self.arm.workers:
            return self.states[name].done
        return all(state.done or state.exited for state in self.workers.values())

    @property
    def ended_early(self) -> dict[str, int]:
        """Steps of a script's workers that are through and gone, where another one has taken more."""
        if self.arm.workload.script is None:
            return {}
        most = max((state.step for state in self.workers.values()), default=0)
        gone = {name: each for name, each in self.workers.items() if each.done and each.exited and not each.again}
        return {name: state.step for name, state in gone.items() if state.step < most}
