"""Decides which faults begin and end now. Pure, as the conductor is, whose part it is."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from harness.faults import Fault, Follows, Heals, Life, Prepares
from harness.planning.plan import Arm, Injection
from harness.vocabulary.events import Checkpointed, Done, Event, Exited, Healed, Injected, Resumed, Signalled, Spawned
from harness.vocabulary.instructions import Instruction, Spawn

Action = Instruction | Event
"""What is to be done: by the agent, or by writing it into the history."""

_WORDS: dict[type[Event], str] = {
    Checkpointed: "checkpointed",
    Done: "done",
    Exited: "exited",
    Resumed: "resumed",
}
"""What schedules call events (`harness.vocabulary.schedule.EventWord`)."""


@dataclass
class _FaultState:
    """What is known of one planned fault. ``victims`` are those that are to end, or to start late.

    ``stopped_at``: when the agent had stopped the process, where it had to. ``gone_at``: when the last victim was gone.
    """

    injection: Injection
    injected_at: float | None = None
    stopped_at: float | None = None
    healed: bool = False
    victims: list[str] = field(default_factory=list)
    gone: set[str] = field(default_factory=set)
    gone_at: float | None = None

    def __post_init__(self) -> None:
        self.part: Fault = self.injection.part
        self.life: Life = self.part.life

    def mark_exited(self, victim: str, t: float) -> None:
        """Note that a victim is gone; with the last one, the time until they are started again begins."""
        self.gone.add(victim)
        if self.gone_at is None and self.gone >= set(self.victims):
            self.gone_at = t

    @property
    def waits(self) -> bool:
        return self.injected_at is None

    @property
    def active(self) -> bool:
        return self.injected_at is not None and not self.healed

    @property
    def will_restart(self) -> bool:
        """Whether it has yet to start its victims."""
        return self.active and self.life.restart_after is not None

    @property
    def outlives_process(self) -> bool:
        """Whether it holds for the process that takes the place of its subject, too."""
        life = self.life
        return self.part.kind != "link" and not (life.at_startup or life.terminates or life.suspends)

    @property
    def heal_at(self) -> float | None:
        """When the clock ends it, once it has begun; for those that start processes again, once these are gone."""
        if self.life.restart_after is not None:
            since = self.gone_at if self.life.terminates else self.injected_at
            return None if since is None else since + self.life.restart_after
        seconds, since = self.life.seconds, self.stopped_at or self.injected_at
        return None if seconds is None or since is None else since + seconds


class FaultScheduler:
    """The faults of one arm. What each method returns belongs to the same moment."""

    def __init__(self, arm: Arm, spawns: Mapping[str, Spawn]) -> None:
        self._arm, self._spawns = arm, spawns
        self._faults = [_FaultState(injection) for injection in arm.schedule]
        self._alive: set[str] = set()
        self.expected_exits: set[str] = set()
        """Roles that are meant to end."""

    # What happens

    def start(self, now: float) -> list[Action]:
        """Start every process that no fault keeps back."""
        folder = self._spawns[self._arm.roles[0].name].cwd
        actions: list[Action] = []
        for fault in self._faults:
            if isinstance(fault.part, Prepares):
                actions += fault.part.prepare(folder)
        withheld = {fault.injection.subject: fault for fault in self._faults if fault.life.withholds}
        for role in self._arm.roles:
            fault_there = withheld.get(role.name)
            actions += self._inject(fault_there, now, None) if fault_there else self._spawn(role.name, now)
        return actions

    def _spawn(self, role: str, now: float) -> list[Action]:
        actions: list[Action] = [self._spawns[role]]
        for fault in self._faults:
            if fault.life.at_startup and not fault.life.withholds and fault.injection.subject == role and fault.waits:
                actions += self._inject(fault, now, None)
        return actions

    def on(self, event: Event, started: bool) -> list[Action]:
        """React to what a role did: to processes that come and go, for faults in force, for faults that wait."""
        actions: list[Action] = []
        if isinstance(event, Spawned):
            actions += self._on_spawned(event)
        elif isinstance(event, Exited):
            self._on_exited(event)
        elif isinstance(event, Signalled):
            self._on_signalled(event)
        actions += self._follow(event)
        return actions + (self._awaited(event) if started else [])

    def _on_spawned(self, event: Spawned) -> list[Action]:
        """Let what is in force on a role hold for its new process."""
        self._alive.add(event.subject)
        return [
            instruction
            for fault in self._faults
            if fault.active and fault.outlives_process and fault.injection.subject == event.subject
            for instruction in fault.part.inject(event.subject, fault.injection.fault)
        ]

    def _on_exited(self, event: Exited) -> None:
        self._alive.discard(event.subject)
        for fault in self._faults:
            if fault.active and event.subject in fault.victims:
                fault.mark_exited(event.subject, event.t)

    def _on_signalled(self, event: Signalled) -> None:
        """Count the time of what stops a process from when it stood still; a busy agent may be late."""
        for fault in self._faults if event.signal == "STOP" else ():
            if fault.active and fault.life.suspends and fault.injection.subject == event.subject:
                fault.stopped_at = fault.stopped_at or event.t

    def _follow(self, event: Event) -> list[Action]:
        return [
            instruction
            for fault in self._faults
            if fault.active and fault.injection.subject == event.subject and isinstance(fault.part, Follows)
            for instruction in fault.part.follow(event)
        ]

    def _awaited(self, event: Event) -> list[Action]:
        """Begin the faults that waited for this event."""
        word = _WORDS.get(type(event))
        if word is None or (isinstance(event, Checkpointed) and event.failure):
            return []
        due = [fault for fault in self._faults if fault.waits and fault.injection.awaits == (word, event.subject)]
        return [action for fault in due for action in self._inject(fault, event.t, None)]

    def at_step(self, worker: str, step: int, now: float) -> list[Action]:
        """End and begin what is due before a step of a worker."""
        own = [fault for fault in self._faults if fault.injection.clock == worker]
        ending = [fault for fault in own if fault.active and fault.injection.last_step == step]
        actions = [action for fault in ending for action in self._heal(fault, now, step)]
        beginning = [fault for fault in own if fault.waits and fault.injection.first_step == step]
        return actions + [action for fault in beginning for action in self._inject(fault, now, step)]

    def finished(self, worker: str, step: int, now: float) -> list[Action]:
        """End what only the steps of a worker could end: it has taken its last one."""
        own = [fault for fault in self._faults if fault.active and fault.injection.clock == worker]
        ending = [fault for fault in own if fault.heal_at is None and not fault.will_restart]
        return [action for fault in ending for action in self._heal(fault, now, step)]

    def due(self, now: float, started: float | None) -> list[Action]:
        """End and begin what the clock says."""
        actions: list[Action] = []
        for fault in self._faults:
            if fault.active and fault.heal_at is not None and now >= fault.heal_at:
                actions += self._heal(fault, now, None)
            begins = fault.injection.begins_at
            if started is not None and fault.waits and begins is not None and now >= started + begins:
                actions += self._inject(fault, now, None)
        return actions

    def end(self, now: float) -> list[Action]:
        """End what is in force: the arm is over, and nobody is started any more."""
        ending = [fault for fault in self._faults if fault.active and not fault.will_restart]
        return [action for fault in ending for action in self._heal(fault, now, None)]

    # What will happen

    def next_stop(self, step: int) -> int | None:
        """The next step at which all workers stop, so that their windows have the same steps."""
        marks = [mark for injection in self._arm.schedule for mark in (injection.first_step, injection.last_step)]
        later = [mark for mark in marks if mark is not None and step < mark < self._arm.workload.steps]
        return min(later, default=None)

    def moments(self, started: float | None) -> Iterable[float]:
        """When `due` has something to do."""
        for fault in self._faults:
            if fault.waits and fault.injection.begins_at is not None and started is not None:
                yield started + fault.injection.begins_at
            elif fault.active and fault.heal_at is not None:
                yield fault.heal_at

    @property
    def healing(self) -> Sequence[float]:
        """When the clock will end what is in force."""
        return [fault.heal_at for fault in self._faults if fault.active and fault.heal_at is not None]

    @property
    def will_restart(self) -> bool:
        """Whether processes that are gone are to be started again."""
        return any(fault.will_restart for fault in self._faults)

    @property
    def slowdown(self) -> float:
        """How many times as long a step may take now."""
        return max([fault.life.slowdown for fault in self._faults if fault.active], default=1.0)

    # One fault

    def _inject(self, fault: _FaultState, now: float, step: int | None) -> list[Action]:
        injection, life = fault.injection, fault.life
        fault.injected_at = now
        fault.victims = [role.name for role in self._arm.roles] if life.whole_job else [injection.subject]
        if life.terminates:
            self.expected_exits.update(fault.victims)
            for gone in set(fault.victims) - self._alive:
                fault.mark_exited(gone, now)
        actions: list[Action] = [Injected(now, self._arm.name, injection.subject, injection.fault, step)]
        for victim in fault.victims:
            actions += fault.part.inject(victim, injection.fault)
        if life.instantaneous:
            fault.healed = True
            actions.append(Healed(now, self._arm.name, injection.subject, injection.fault, step))
        return actions

    def _heal(self, fault: _FaultState, now: float, step: int | None) -> list[Action]:
        injection = fault.injection
        fault.healed = True
        actions: list[Action] = []
        if isinstance(fault.part, Heals):
            actions += fault.part.heal(injection.subject, injection.fault)
        if fault.life.restart_after is not None:
            self.expected_exits.difference_update(fault.victims)
            restarts = [action for victim in fault.victims for action in self._spawn(victim, now)]
            actions = [*restarts, *actions]
        if actions:
            actions.append(Healed(now, self._arm.name, injection.subject, injection.fault, step))
        return actions
