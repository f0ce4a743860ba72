"""Decides, from the events of one arm, what to do next and how it ended. Pure: acts on nothing and reads no clock.

`on` takes an event, `tick` the time; both return what to do: instructions for the agent and events for the history.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain
from statistics import median

from harness.events import (
    Closed,
    Connected,
    ConnectFailed,
    Done,
    Ended,
    Event,
    Exited,
    Failed,
    Gradients,
    Loss,
    NotFinite,
    Outcome,
    Progress,
    Spawned,
    SpawnFailed,
    Stack,
    Started,
    Waiting,
    Window,
)
from harness.flaws import Flaws
from harness.injector import Action, Injector
from harness.instructions import Connect, Credit, Shutdown, Signal, Snapshot, Spawn, Survey
from harness.plan import Arm

GRACE_SECONDS = 1.0
STACKS_SECONDS = 20.0
DIVERGED_SECONDS = 2.0
"""So long the other workers have to report the steps up to the one that is not finite."""

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
    reported: int = 0
    failed: str = ""
    dismissed: bool = False

    @property
    def lives(self) -> bool:
        return self.spawned and self.exited is None


@dataclass
class _Ending:
    """The arm is about to end, as soon as ``missing`` roles have reported or ``deadline`` has come."""

    outcome: Outcome
    role: str
    reason: str
    missing: set[str]
    deadline: float


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
    _injector: Injector = field(init=False)
    _moved: float = field(init=False)
    _mover: str = ""
    _step_seconds: list[float] = field(default_factory=list)
    _ending: _Ending | None = None
    _closed: bool = False
    _flaws: Flaws = field(default_factory=Flaws)

    def __post_init__(self) -> None:
        self._roles = {role.name: _RoleState() for role in self.arm.roles}
        self._injector = Injector(self.arm, self.spawns)
        self._moved = self.began

    @property
    def over(self) -> bool:
        """Whether the arm ended, everything has been reported and no process is left."""
        return self._closed and not any(state.lives for state in self._roles.values())

    # What happened

    def begin(self) -> list[Action]:
        """Start every process, on the hosts of a pocket cluster once that is there."""
        return [self._connect()] if self.arm.network else list(self._injector.start(self.began))

    def _connect(self) -> Connect:
        assert self.arm.network is not None
        return Connect("", self.arm.network.links(), self.arm.network.mtu, self.arm.workload.seed)

    def on(self, event: Event) -> list[Action]:
        """React to one event from the agent or a worker; after the end, only note who leaves."""
        if self.ended is not None:
            if isinstance(event, Exited):
                self._roles[event.role].exited = event
            self._closed = self._closed or isinstance(event, Closed)
            return []
        react = {
            Connected: self._on_connected,
            ConnectFailed: self._on_connect_failed,
            Spawned: self._on_spawned,
            SpawnFailed: self._on_spawn_failed,
            Waiting: self._on_waiting,
            Progress: self._on_progress,
            Window: self._on_window,
            Gradients: self._on_flaw,
            NotFinite: self._on_flaw,
            Loss: self._on_loss,
            Done: self._on_done,
            Failed: self._on_failed,
            Exited: self._on_exited,
            Stack: self._on_stack,
        }.get(type(event))
        if isinstance(event, Progress | Window | Waiting | Done) and self._stalling:
            self._ending = None
        reactions = list(self._injector.on(event, self.started is not None)) if event.role in self._roles else []
        return [*reactions, *(react(event) if react else [])]  # type: ignore[operator]

    @property
    def _stalling(self) -> bool:
        """Whether the end was near only because nothing moved."""
        return self._ending is not None and self._ending.outcome in ("hung", "refused")

    def _on_connected(self, event: Connected) -> Iterator[Action]:
        yield from self._injector.start(event.t)

    def _on_connect_failed(self, event: ConnectFailed) -> Iterator[Action]:
        reason = f"the pocket cluster could not be made: {event.reason}; see harness doctor"
        yield from self._end(event.t, "refused", reason)

    def _survey(self) -> Iterator[Action]:
        """Ask what the links have carried, where there are any."""
        if self.arm.network is not None:
            yield Survey("")

    def _on_spawned(self, event: Spawned) -> Iterator[Action]:
        """A role's first process, or one that takes the place of another."""
        self._roles[event.role] = _RoleState(spawned=True)
        self._move(event)
        yield from ()

    def _on_spawn_failed(self, event: SpawnFailed) -> Iterator[Action]:
        yield from self._end(event.t, "refused", f"{event.role} could not be started: {event.reason}", event.role)

    def _on_progress(self, event: Progress) -> Iterator[Action]:
        self._roles[event.role].step = event.step
        self._move(event)
        yield from ()

    def _on_window(self, event: Window) -> Iterator[Action]:
        self._roles[event.role].step = event.first + event.steps
        self._move(event)
        if len(self._step_seconds) < _STEP_MEMORY:
            self._step_seconds.append(event.seconds / event.steps)
        if event.first + event.steps == self.arm.workload.warmup and event.role == self.arm.workers[0]:
            yield from self._survey()

    def _on_flaw(self, event: Gradients | NotFinite) -> Iterator[Action]:
        self._flaws.add(event)
        yield from ()

    def _on_loss(self, event: Loss) -> Iterator[Action]:
        """The first loss that is not finite ends the arm, once the others told how it was with them until then."""
        self._roles[event.role].reported = event.first + len(event.values)
        if self._flaws.add(event) and self._ending is None:
            self._ending = _Ending("diverged", event.role, "", set(), event.t + DIVERGED_SECONDS)
        if self._ending is not None and self._ending.outcome == "diverged" and not self._silent():
            yield from self._end_now(event.t)

    def _silent(self) -> bool:
        """Whether a worker has yet to report the first step that is not finite."""
        first = self._flaws.first_step
        training = [self._roles[name] for name in self.arm.workers if self._roles[name].lives]
        return any(not role.done and role.reported <= first for role in training)

    def _on_done(self, event: Done) -> Iterator[Action]:
        self._roles[event.role].done = True
        self._move(event)
        yield from self._survey()
        yield from self._acted(event.t, self._injector.finished(event.role, event.step, event.t))

    def _on_failed(self, event: Failed) -> Iterator[Action]:
        self._roles[event.role].failed = event.error
        yield from ()

    def _on_waiting(self, event: Waiting) -> Iterator[Action]:
        """A worker stands at a step: the first time with all others, later where a fault begins or ends."""
        self._move(event)
        role = self._roles[event.role]
        role.waiting, role.step = event.step, event.step
        if self.started is not None:
            yield from self._pass(event.role, event.step, event.t)
        elif all(self._roles[name].waiting is not None for name in self.arm.workers):
            yield from self._start(event.t)

    def _start(self, now: float) -> Iterator[Action]:
        self.started = now
        yield Started(now, self.arm.name, "")
        if self.arm.workload.warmup == 0:
            yield from self._survey()
        for name in self.arm.workers:
            yield from self._pass(name, self._roles[name].waiting or 0, now)

    def _pass(self, worker: str, step: int, now: float) -> Iterator[Action]:
        """End and begin what is due before ``step`` of ``worker``, then let it go on to the next such step."""
        yield from self._acted(now, self._injector.at_step(worker, step, now))
        self._roles[worker].waiting = None
        yield Credit(worker, self._injector.next_stop(step))

    def _acted(self, now: float, actions: Iterator[Action]) -> Iterator[Action]:
        """What the harness does itself is no standstill."""
        for action in actions:
            self._moved = max(self._moved, now)
            yield action

    def _on_exited(self, event: Exited) -> Iterator[Action]:
        role = self._roles[event.role]
        role.exited = event
        self._move(event)
        if self._ending is not None:
            yield from self._reported(event)
            return
        planned = event.role in self._injector.condemned
        if planned and (self._injector.reviving or not self._all_workers_gone()):
            return
        how = f"exit status {event.status}" if event.signal is None else f"signal {event.signal}"
        if planned:
            if not any(self._roles[name].done for name in self.arm.workers):
                reason = f"{event.role} ended as planned and no worker is left"
                yield from self._end(event.t, "crashed", reason, event.role)
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
        if self.ended is None and not any(state.lives for state in self._roles.values()):
            yield from self._complete(event.t)

    def _complete(self, now: float) -> Iterator[Action]:
        """Trained to the end, unless weights are no numbers, which losses need not show."""
        if self._flaws.harmful:
            yield from self._end(now, "diverged", str(self._flaws), self._flaws.role)
            return
        steps = self.arm.workload.steps
        done = [name for name in self.arm.workers if self._roles[name].done]
        reason = f"{len(done)} of {len(self.arm.workers)} workers trained {steps} steps and every process left"
        yield from self._end(now, "completed", reason)

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
        if self._ending is not None:
            return self._ending.deadline
        last = self.began + self.startup_timeout if self.started is None else self._stall_deadline()
        return min(chain(self._injector.moments(self.started), [last]))

    def _stall_deadline(self) -> float:
        """Standing still does not count while the clock has yet to end a fault."""
        step = median(self._step_seconds) if self._step_seconds else 0.0
        patience = max(self.stall_timeout, STALL_STEPS * step) * self._injector.slowdown
        return max([self._moved, *self._injector.healing]) + patience

    def _move(self, event: Event) -> None:
        """Somebody moved; what is told late takes back nothing."""
        self._moved = max(self._moved, event.t)
        if event.role in self.arm.workers:
            self._mover = event.role

    def excuse(self, seconds: float) -> None:
        """Nobody listened for so long: silence in that time says nothing."""
        self._moved += seconds
        self.began += seconds if self.started is None else 0.0

    def tick(self, now: float) -> list[Action]:
        """Do what is due at ``now``."""
        if self.ended is not None:
            return []
        if self._ending is not None:
            return list(self._end_now(now)) if now >= self._ending.deadline else []
        actions = list(self._acted(now, self._injector.due(now, self.started)))
        if self.started is None:
            return actions + (list(self._startup_failed(now)) if now >= self.began + self.startup_timeout else [])
        return actions + (list(self._stalled(now)) if now >= self._stall_deadline() else [])

    def _startup_failed(self, now: float) -> Iterator[Action]:
        late = [name for name in self.arm.workers if self._roles[name].waiting is None]
        reason = f"after {self.startup_timeout:g} s {', '.join(late)} had not come up"
        yield from self._look(now, "refused", late[0], reason)

    def _stalled(self, now: float) -> Iterator[Action]:
        alive = [name for name, state in self._roles.items() if state.lives]
        steps = [f"{name} at step {self._roles[name].step}" for name in self.arm.workers if name in alive]
        training = [name for name in alive if name in self.arm.workers and not self._roles[name].done]
        where = ", ".join(steps) if training else f"{', '.join(alive)} had finished and did not leave"
        failed = {name: self._roles[name].failed for name in alive if self._roles[name].failed}
        broken = "".join(f"; {name} had failed with {error} and did not leave" for name, error in failed.items())
        last = f"; last to move was {self._mover}" if self._mover and len(self.arm.workers) > 1 else ""
        reason = f"nothing moved for {now - self._moved:.1f} s: {where}{broken}{last}"
        yield from self._look(now, "hung", (training or alive or [""])[0], reason)

    def _look(self, now: float, outcome: Outcome, role: str, reason: str) -> Iterator[Action]:
        """Nobody moves: look at the stacks of all who live, then end."""
        alive = {name for name, state in self._roles.items() if state.lives}
        self._ending = _Ending(outcome, role, reason, alive, now + STACKS_SECONDS)
        yield from (Snapshot(name) for name in self._roles if name in alive)
        if not alive:
            yield from self._end_now(now)

    def _on_stack(self, event: Stack) -> Iterator[Action]:
        yield from self._reported(event)

    def _reported(self, event: Event) -> Iterator[Action]:
        """One less to wait for."""
        if self._ending is None or self._ending.outcome == "diverged":
            return
        self._ending.missing.discard(event.role)
        if not self._ending.missing:
            yield from self._end_now(event.t)

    def _end_now(self, now: float) -> Iterator[Action]:
        assert self._ending is not None
        ending = self._ending
        if ending.outcome != "diverged":
            yield from self._end(now, ending.outcome, ending.reason, ending.role)
            return
        yield from self._end(now, "diverged", str(self._flaws), self._flaws.role)

    # The end

    def stop(self, now: float, outcome: Outcome, reason: str) -> list[Action]:
        """End early, from outside: interrupted or aborted."""
        return [] if self.ended is not None else list(self._end(now, outcome, reason))

    def _end(self, now: float, outcome: Outcome, reason: str, role: str = "") -> Iterator[Action]:
        yield from self._injector.end(now)
        yield from self._survey()
        self.ended = Ended(now, self.arm.name, role, outcome, reason)
        yield self.ended
        yield Shutdown("", GRACE_SECONDS)
