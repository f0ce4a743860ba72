"""Decides, from the events of one arm, what to do next and how it ended. Pure: acts on nothing and reads no clock.

`on` takes an event, `tick` the time; both return what to do: instructions for the agent and events for the history.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from statistics import median

from harness.events import (
    Connected,
    ConnectFailed,
    Done,
    Ended,
    Event,
    Exited,
    Healed,
    Injected,
    Loss,
    Outcome,
    Progress,
    Spawned,
    SpawnFailed,
    Stack,
    Started,
    Waiting,
    Window,
)
from harness.instructions import Connect, Credit, Instruction, Shutdown, Signal, Snapshot, Spawn, Survey
from harness.plan import Arm, Injection

Action = Instruction | Event
GRACE_SECONDS = 1.0
STACKS_SECONDS = 20.0
STALL_STEPS = 10
"""A job is not hung before it has stood still for ten times its median step."""

_STEP_MEMORY = 256


@dataclass
class _RoleState:
    """What is known of one process."""

    spawned: bool = False
    waiting: int | None = None
    step: int = 0
    done: bool = False
    exited: Exited | None = None
    condemned: bool = False
    dismissed: bool = False

    @property
    def lives(self) -> bool:
        return self.spawned and self.exited is None


@dataclass
class _FaultState:
    """What is known of one planned fault."""

    injection: Injection
    injected_at: float | None = None
    healed: bool = False

    @property
    def active(self) -> bool:
        return self.injected_at is not None and not self.healed

    @property
    def heal_at(self) -> float | None:
        """When the clock ends it, once it has begun."""
        seconds = getattr(self.injection.part.duration, "time", None)
        return None if seconds is None or self.injected_at is None else self.injected_at + seconds


@dataclass
class Conductor:
    """One arm from its first process to its last."""

    arm: Arm
    startup_timeout: float
    stall_timeout: float
    spawns: Mapping[str, Spawn]
    began: float
    ended: Ended | None = None
    started: float | None = None
    _roles: dict[str, _RoleState] = field(init=False)
    _faults: list[_FaultState] = field(init=False)
    _moved: float = field(init=False)
    _step_seconds: list[float] = field(default_factory=list)
    _hung: tuple[str, str] | None = None
    _stacks_due: set[str] = field(default_factory=set)
    _stacks_deadline: float = 0.0

    def __post_init__(self) -> None:
        self._roles = {role.name: _RoleState() for role in self.arm.roles}
        self._faults = [_FaultState(injection) for injection in self.arm.schedule]
        self._moved = self.began

    @property
    def over(self) -> bool:
        """Whether the arm ended and no process is left."""
        return self.ended is not None and not any(state.lives for state in self._roles.values())

    # What happened

    def begin(self) -> list[Action]:
        """Start every process, on the hosts of a pocket cluster once that is there."""
        return [self._connect()] if self.arm.network else self._spawn_all()

    def _connect(self) -> Connect:
        assert self.arm.network is not None
        return Connect("", self.arm.network.links(), self.arm.network.mtu, self.arm.workload.seed)

    def _spawn_all(self) -> list[Action]:
        return [self.spawns[role.name] for role in self.arm.roles]

    def on(self, event: Event) -> list[Action]:
        """React to one event from the agent or a worker; after the end, only note who leaves."""
        if self.ended is not None:
            if isinstance(event, Exited):
                self._roles[event.role].exited = event
            return []
        react = {
            Connected: self._on_connected,
            ConnectFailed: self._on_connect_failed,
            Spawned: self._on_spawned,
            SpawnFailed: self._on_spawn_failed,
            Waiting: self._on_waiting,
            Progress: self._on_progress,
            Window: self._on_window,
            Loss: self._on_loss,
            Done: self._on_done,
            Exited: self._on_exited,
            Stack: self._on_stack,
        }.get(type(event))
        if isinstance(event, Progress | Window | Waiting | Done):
            self._hung = None
        return list(react(event)) if react else []  # type: ignore[operator]

    def _on_connected(self, _: Connected) -> Iterator[Action]:
        yield from self._spawn_all()

    def _on_connect_failed(self, event: ConnectFailed) -> Iterator[Action]:
        reason = f"the pocket cluster could not be made: {event.reason}; see harness doctor"
        yield from self._end(event.t, "refused", reason)

    def _survey(self) -> Iterator[Action]:
        """Ask what the links have carried, where there are any."""
        if self.arm.network is not None:
            yield Survey("")

    def _on_spawned(self, event: Spawned) -> Iterator[Action]:
        self._roles[event.role].spawned = True
        yield from ()

    def _on_spawn_failed(self, event: SpawnFailed) -> Iterator[Action]:
        yield from self._end(event.t, "refused", f"{event.role} could not be started: {event.reason}", event.role)

    def _on_progress(self, event: Progress) -> Iterator[Action]:
        self._roles[event.role].step = event.step
        self._move(event.t)
        yield from ()

    def _on_window(self, event: Window) -> Iterator[Action]:
        self._roles[event.role].step = event.first + event.steps
        self._move(event.t)
        if len(self._step_seconds) < _STEP_MEMORY:
            self._step_seconds.append(event.seconds / event.steps)
        if event.first + event.steps == self.arm.workload.warmup and event.role == self.arm.workers[0]:
            yield from self._survey()

    def _on_loss(self, event: Loss) -> Iterator[Action]:
        if None in event.values:
            step = event.first + event.values.index(None)
            reason = f"the loss of {event.role} is not finite at step {step}"
            yield from self._end(event.t, "diverged", reason, event.role)

    def _on_done(self, event: Done) -> Iterator[Action]:
        self._roles[event.role].done = True
        self._move(event.t)
        yield from self._survey()
        for fault in self._faults:
            if fault.active and fault.injection.clock == event.role and fault.heal_at is None:
                yield from self._heal(fault, event.t, event.step)

    def _on_waiting(self, event: Waiting) -> Iterator[Action]:
        """A worker stands at a step: the first time with all others, later where a fault begins or ends."""
        self._move(event.t)
        role = self._roles[event.role]
        role.waiting, role.step = event.step, event.step
        if self.started is None:
            if all(self._roles[name].waiting is not None for name in self.arm.workers):
                yield from self._start(event.t)
        else:
            yield from self._pass(event.role, event.step, event.t)

    def _start(self, now: float) -> Iterator[Action]:
        self.started = now
        yield Started(now, self.arm.name, "")
        if self.arm.workload.warmup == 0:
            yield from self._survey()
        for name in self.arm.workers:
            yield from self._pass(name, 0, now)

    def _pass(self, worker: str, step: int, now: float) -> Iterator[Action]:
        """End and begin what is due before ``step`` of ``worker``, then let it go on to the next such step."""
        for fault in self._faults:
            if fault.injection.clock == worker and fault.active and fault.injection.last_step == step:
                yield from self._heal(fault, now, step)
        for fault in self._faults:
            if fault.injection.clock == worker and fault.injected_at is None and fault.injection.first_step == step:
                yield from self._inject(fault, now, step)
        self._roles[worker].waiting = None
        yield Credit(worker, self._next_stop(step))

    def _next_stop(self, step: int) -> int | None:
        """All workers stop at every such step, so that their windows have the same steps."""
        marks = [mark for injection in self.arm.schedule for mark in (injection.first_step, injection.last_step)]
        later = [mark for mark in marks if mark is not None and step < mark < self.arm.workload.steps]
        return min(later, default=None)

    def _inject(self, fault: _FaultState, now: float, step: int | None) -> Iterator[Action]:
        injection = fault.injection
        fault.injected_at = now
        self._move(now)
        if injection.part.deadly:
            self._roles[injection.role].condemned = True
        yield Injected(now, self.arm.name, injection.role, injection.fault, step)
        yield from injection.part.inject(injection.role, injection.fault)

    def _heal(self, fault: _FaultState, now: float, step: int | None) -> Iterator[Action]:
        injection = fault.injection
        fault.healed = True
        self._move(now)
        instructions = injection.part.heal(injection.role, injection.fault)
        if instructions:
            yield from instructions
            yield Healed(now, self.arm.name, injection.role, injection.fault, step)

    def _on_exited(self, event: Exited) -> Iterator[Action]:
        role = self._roles[event.role]
        role.exited = event
        self._move(event.t)
        self._stacks_due.discard(event.role)
        how = f"exit status {event.status}" if event.signal is None else f"signal {event.signal}"
        if self._hung is not None:
            yield from self._stacks_complete(event.t)
            return
        if role.condemned and not self._all_workers_gone():
            return
        if role.condemned:
            if not any(self._roles[name].done for name in self.arm.workers):
                yield from self._end(
                    event.t, "crashed", f"{event.role} was killed as planned and none is left", event.role
                )
        elif role.dismissed:
            pass
        elif self.started is None:
            reason = f"{event.role} ended with {how} before all were ready"
            yield from self._end(event.t, "refused", reason, event.role)
        elif event.status != 0 or not self._may_leave(event.role):
            reason = f"{event.role} ended with {how} at step {role.step}"
            yield from self._end(event.t, "crashed", reason, event.role)
        if self.ended is None:
            yield from self._dismiss_services()
        if self.ended is None and all(state.exited for state in self._roles.values()):
            steps = self.arm.workload.steps
            done = [name for name in self.arm.workers if self._roles[name].done]
            reason = f"{len(done)} of {len(self.arm.workers)} workers trained {steps} steps and every process left"
            yield from self._end(event.t, "completed", reason)

    def _dismiss_services(self) -> Iterator[Action]:
        """What only serves workers does not leave by itself."""
        for role in self.arm.roles if self._all_workers_gone() else ():
            state = self._roles[role.name]
            if role.service and state.lives and not state.dismissed:
                state.dismissed = True
                yield Signal(role.name, "TERM")

    def _all_workers_gone(self) -> bool:
        return not any(self._roles[name].lives for name in self.arm.workers)

    def _may_leave(self, name: str) -> bool:
        """Workers leave when they are done, the others once every worker is done or dead."""
        if name in self.arm.workers:
            return self._roles[name].done
        return all(self._roles[worker].done or self._roles[worker].exited for worker in self.arm.workers)

    # What the clock says

    def deadline(self) -> float | None:
        """When `tick` has something to do; None once the arm ended."""
        if self.ended is not None:
            return None
        if self._hung is not None:
            return self._stacks_deadline
        if self.started is None:
            return self.began + self.startup_timeout
        return min([*self._timed(), self._stall_deadline()])

    def _timed(self) -> Iterator[float]:
        assert self.started is not None
        for fault in self._faults:
            if fault.injected_at is None and fault.injection.part.at.time is not None:
                yield self.started + fault.injection.part.at.time
            elif fault.active and fault.heal_at is not None:
                yield fault.heal_at

    def _stall_deadline(self) -> float:
        """Standing still does not count while the clock has yet to end a fault."""
        pending = [fault.heal_at for fault in self._faults if fault.active and fault.heal_at is not None]
        step = median(self._step_seconds) if self._step_seconds else 0.0
        slowdown = max([fault.injection.part.slowdown for fault in self._faults if fault.active], default=1.0)
        return max([self._moved, *pending]) + max(self.stall_timeout, STALL_STEPS * step) * slowdown

    def _move(self, t: float) -> None:
        """Something moved at ``t``; what is told late takes back nothing."""
        self._moved = max(self._moved, t)

    def excuse(self, seconds: float) -> None:
        """Nobody listened for so long: silence in that time says nothing."""
        self._moved += seconds
        self.began += seconds if self.started is None else 0.0

    def tick(self, now: float) -> list[Action]:
        """Do what is due at ``now``."""
        if self.ended is not None:
            return []
        if self._hung is not None:
            return list(self._end_hung(now)) if now >= self._stacks_deadline else []
        if self.started is None:
            return list(self._startup_failed(now)) if now >= self.began + self.startup_timeout else []
        actions = list(self._due_faults(now))
        if now >= self._stall_deadline():
            actions += self._stalled(now)
        return actions

    def _due_faults(self, now: float) -> Iterator[Action]:
        assert self.started is not None
        for fault in self._faults:
            if fault.active and fault.heal_at is not None and now >= fault.heal_at:
                yield from self._heal(fault, now, None)
            at = fault.injection.part.at.time
            if fault.injected_at is None and at is not None and now >= self.started + at:
                yield from self._inject(fault, now, None)

    def _startup_failed(self, now: float) -> Iterator[Action]:
        late = [name for name in self.arm.workers if self._roles[name].waiting is None]
        reason = f"after {self.startup_timeout:g} s {', '.join(late)} had not come up"
        yield from self._end(now, "refused", reason, late[0])

    def _stalled(self, now: float) -> Iterator[Action]:
        """Nobody moves: look at the stacks of all who live, then end."""
        alive = [name for name, state in self._roles.items() if state.lives]
        steps = [f"{name} at step {self._roles[name].step}" for name in self.arm.workers if name in alive]
        training = [name for name in alive if name in self.arm.workers and not self._roles[name].done]
        where = ", ".join(steps) if training else f"{', '.join(alive)} had finished and did not leave"
        self._hung = ((training or alive or [""])[0], f"nothing moved for {now - self._moved:.1f} s: {where}")
        self._stacks_due = set(alive)
        self._stacks_deadline = now + STACKS_SECONDS
        yield from (Snapshot(name) for name in alive)

    def _on_stack(self, event: Stack) -> Iterator[Action]:
        self._stacks_due.discard(event.role)
        yield from self._stacks_complete(event.t)

    def _stacks_complete(self, now: float) -> Iterator[Action]:
        if self._hung is not None and not self._stacks_due:
            yield from self._end_hung(now)

    def _end_hung(self, now: float) -> Iterator[Action]:
        assert self._hung is not None
        role, reason = self._hung
        yield from self._end(now, "hung", reason, role)

    # The end

    def stop(self, now: float, outcome: Outcome, reason: str) -> list[Action]:
        """End early, from outside: interrupted or aborted."""
        return [] if self.ended is not None else list(self._end(now, outcome, reason))

    def _end(self, now: float, outcome: Outcome, reason: str, role: str = "") -> Iterator[Action]:
        for fault in self._faults:
            if fault.active:
                yield from self._heal(fault, now, None)
        yield from self._survey()
        self.ended = Ended(now, self.arm.name, role, outcome, reason)
        yield self.ended
        yield Shutdown("", GRACE_SECONDS)
