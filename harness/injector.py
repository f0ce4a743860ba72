"""Decides which faults begin and end now. Pure, as the conductor is, whose part it is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from harness.events import (
    Checkpointed,
    Done,
    Event,
    Exited,
    Healed,
    Injected,
    Resumed,
    Signalled,
    Spawned,
)
from harness.faults import StartFault
from harness.instructions import Instruction, Spawn
from harness.plan import Arm, Injection

Action = Instruction | Event
_WORDS: dict[type[Event], str] = {
    Checkpointed: "checkpointed",
    Done: "done",
    Exited: "exited",
    Resumed: "resumed",
}
"""What schedules call events (`harness.schedule.EventWord`)."""


@dataclass
class _FaultState:
    """What is known of one planned fault. ``victims`` are those that are to end, or to start late.

    ``stopped_at``: when the agent had stopped the process, where it had to.
    """

    injection: Injection
    injected_at: float | None = None
    stopped_at: float | None = None
    healed: bool = False
    victims: list[str] = field(default_factory=list)
    gone: set[str] = field(default_factory=set)
    gone_at: float | None = None

    def bury(self, victim: str, t: float) -> None:
        """A victim is gone; with the last one, the time until they are started again begins."""
        self.gone.add(victim)
        if self.gone_at is None and self.gone >= set(self.victims):
            self.gone_at = t

    @property
    def stops(self) -> bool:
        """Whether it is by stopping the process that it acts, for as long as it lasts."""
        return self.injection.part.stops

    @property
    def active(self) -> bool:
        return self.injected_at is not None and not self.healed

    @property
    def revives(self) -> bool:
        """Whether it has yet to start its victims."""
        return self.active and self.injection.part.revival is not None

    @property
    def heal_at(self) -> float | None:
        """When the clock ends it, once it has begun; for those that start processes again, once these are gone."""
        part = self.injection.part
        if part.revival is not None:
            since = self.gone_at if part.deadly else self.injected_at
            return None if since is None else since + part.revival
        seconds, since = getattr(part.duration, "time", None), self.stopped_at or self.injected_at
        return None if seconds is None or since is None else since + seconds


class Injector:
    """The faults of one arm. What it returns belongs to the same moment."""

    def __init__(self, arm: Arm, spawns: Mapping[str, Spawn]) -> None:
        self._arm, self._spawns = arm, spawns
        self._faults = [_FaultState(injection) for injection in arm.schedule]
        self._alive: set[str] = set()
        self.condemned: set[str] = set()
        """Roles that are meant to end."""

    # What happens

    def start(self, now: float) -> Iterator[Action]:
        """Start every process that no fault keeps back."""
        for fault in self._faults:
            yield from fault.injection.part.prepare(self._spawns[self._arm.roles[0].name].cwd)
        kept_back = {}
        for fault in self._faults:
            if isinstance(fault.injection.part, StartFault) and fault.injection.part.keeps_back:
                kept_back[fault.injection.role] = fault
        for role in self._arm.roles:
            if role.name in kept_back:
                yield from self._inject(kept_back[role.name], now, None)
            else:
                yield from self._spawn(role.name, now)

    def _spawn(self, role: str, now: float) -> Iterator[Action]:
        yield self._spawns[role]
        for fault in self._faults:
            part = fault.injection.part
            lies = isinstance(part, StartFault) and not part.keeps_back
            if lies and fault.injection.role == role and fault.injected_at is None:
                yield from self._inject(fault, now, None)

    def on(self, event: Event, started: bool) -> Iterator[Action]:
        """React to what a role did: faults that wait for it, and those that go on by it."""
        if isinstance(event, Spawned):
            self._alive.add(event.role)
            yield from self._renew(event.role)
        elif isinstance(event, Exited):
            self._alive.discard(event.role)
            self._bury(event)
        for fault in self._faults:
            if fault.active and fault.injection.role == event.role:
                if fault.stops and isinstance(event, Signalled) and event.signal == "STOP":
                    fault.stopped_at = fault.stopped_at or event.t  # a busy agent may be late
                yield from fault.injection.part.follow(event, event.role)
        word = _WORDS.get(type(event))
        failed = isinstance(event, Checkpointed) and event.failure
        for fault in self._faults if word and started and not failed else ():
            if fault.injected_at is None and fault.injection.awaits == (word, event.role):
                yield from self._inject(fault, event.t, None)

    def _renew(self, role: str) -> Iterator[Action]:
        """What is in force on a role holds for the process that takes the place of another, too."""
        for fault in self._faults:
            part = fault.injection.part
            lasting = part.kind != "link" and not part.timeless and not part.deadly and not fault.stops
            if fault.active and lasting and fault.injection.role == role:
                yield from part.inject(role, fault.injection.fault)

    def _bury(self, event: Exited) -> None:
        for fault in self._faults:
            if fault.active and event.role in fault.victims:
                fault.bury(event.role, event.t)

    def at_step(self, worker: str, step: int, now: float) -> Iterator[Action]:
        """End and begin what is due before a step of a worker."""
        for fault in self._faults:
            if fault.injection.clock == worker and fault.active and fault.injection.last_step == step:
                yield from self._heal(fault, now, step)
        for fault in self._faults:
            if fault.injection.clock == worker and fault.injected_at is None and fault.injection.first_step == step:
                yield from self._inject(fault, now, step)

    def finished(self, worker: str, step: int, now: float) -> Iterator[Action]:
        """A worker has taken its last step: what only its steps could end, ends."""
        for fault in self._faults:
            if fault.active and fault.injection.clock == worker and fault.heal_at is None and not fault.revives:
                yield from self._heal(fault, now, step)

    def due(self, now: float, started: float | None) -> Iterator[Action]:
        """End and begin what the clock says."""
        for fault in self._faults:
            if fault.active and fault.heal_at is not None and now >= fault.heal_at:
                yield from self._heal(fault, now, None)
            at = fault.injection.begins_at
            if started is not None and fault.injected_at is None and at is not None and now >= started + at:
                yield from self._inject(fault, now, None)

    def end(self, now: float) -> Iterator[Action]:
        """The arm is over: everything is healed, and nobody is started any more."""
        for fault in self._faults:
            if fault.active and not fault.revives:
                yield from self._heal(fault, now, None)

    # What will happen

    def next_stop(self, step: int) -> int | None:
        """All workers stop at every such step, so that their windows have the same steps."""
        marks = [mark for injection in self._arm.schedule for mark in (injection.first_step, injection.last_step)]
        later = [mark for mark in marks if mark is not None and step < mark < self._arm.workload.steps]
        return min(later, default=None)

    def moments(self, started: float | None) -> Iterable[float]:
        """When `due` has something to do."""
        for fault in self._faults:
            if fault.injected_at is None and fault.injection.begins_at is not None and started is not None:
                yield started + fault.injection.begins_at
            elif fault.active and fault.heal_at is not None:
                yield fault.heal_at

    @property
    def healing(self) -> list[float]:
        """When the clock will end what is in force."""
        return [fault.heal_at for fault in self._faults if fault.active and fault.heal_at is not None]

    @property
    def reviving(self) -> bool:
        """Whether processes that are gone are to be started again."""
        return any(fault.revives for fault in self._faults)

    @property
    def slowdown(self) -> float:
        """How many times as long a step may take now."""
        return max([fault.injection.part.slowdown for fault in self._faults if fault.active], default=1.0)

    # One fault

    def _inject(self, fault: _FaultState, now: float, step: int | None) -> Iterator[Action]:
        injection = fault.injection
        part = injection.part
        fault.injected_at = now
        fault.victims = [injection.role]
        if part.whole_job:
            fault.victims = [role.name for role in self._arm.roles]
        for gone in set(fault.victims) - self._alive if part.deadly else ():
            fault.bury(gone, now)
        if part.deadly:
            self.condemned.update(fault.victims)
        yield Injected(now, self._arm.name, injection.role, injection.fault, step)
        for victim in fault.victims:
            yield from part.inject(victim, injection.fault)
        if part.momentary:
            fault.healed = True
            yield Healed(now, self._arm.name, injection.role, injection.fault, step)

    def _heal(self, fault: _FaultState, now: float, step: int | None) -> Iterator[Action]:
        injection = fault.injection
        part = injection.part
        fault.healed = True
        healing = list(part.heal(injection.role, injection.fault))
        if part.revival is not None:
            self.condemned.difference_update(fault.victims)
            for victim in fault.victims:
                yield from self._spawn(victim, now)
        if healing or part.revival is not None:
            yield from healing
            yield Healed(now, self._arm.name, injection.role, injection.fault, step)
