"""Decides, from the events of one arm, what to do next and how it ended. Pure: acts on nothing and reads no clock.

`on` takes an event, `tick` the time; both return what to do: instructions for the agent and events for the history.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain
from statistics import median
from typing import Any

from harness.execution.exits import Exits
from harness.execution.fault_scheduler import Action, FaultScheduler
from harness.execution.non_finite import NonFiniteValues
from harness.execution.roles import Roles
from harness.planning.plan import Arm
from harness.vocabulary.events import (
    Announced,
    Closed,
    Connected,
    ConnectFailed,
    Done,
    Ended,
    Event,
    Exited,
    Failed,
    Gradients,
    Imported,
    Loss,
    NotFinite,
    Outcome,
    Progress,
    Ready,
    Recognised,
    Spawned,
    SpawnFailed,
    Stack,
    Stage,
    Started,
    Waiting,
    Window,
)
from harness.vocabulary.instructions import Connect, Credit, Shutdown, Signal, Snapshot, Spawn, Survey

GRACE_SECONDS = 1.0
STACKS_SECONDS = 20.0
DIVERGED_SECONDS = 2.0
"""So long the other workers have to report the steps up to the one that is not finite."""

IMPORT_SECONDS = 20.0
"""So long a worker has to import MXNet once a process that serves it has failed to start."""

ELSEWHERE_SECONDS = 3.0
"""So long servers may stay when all workers are gone; those that nobody has asked for anything never leave."""

STALL_STEPS = 10
"""A job is not hung before it has stood still for ten times its median step."""

_STEP_MEMORY = 256


@dataclass
class _Ending:
    """The arm is about to end, as soon as ``missing`` roles have reported or ``deadline`` has come."""

    outcome: Outcome
    role: str
    reason: str
    missing: set[str] = field(default_factory=set)
    deadline: float = 0.0
    stage: Stage = ""
    exits: list[Exited] = field(default_factory=list)

    @property
    def unproven(self) -> bool:
        """Whether it waits for a worker to show that MXNet is there."""
        return self.outcome == "refused" and not self.stage


@dataclass
class Conductor:
    """One arm from its first process to its last."""

    arm: Arm
    startup_timeout: float
    stall_timeout: float
    spawns: Mapping[str, Spawn]
    began: float
    most_steps: int | None = None
    """Beyond which no worker goes, whatever the plan asks for: as far as another arm came."""

    ended: Ended | None = None
    started: float | None = None
    _roles: Roles = field(init=False)
    _scheduler: FaultScheduler = field(init=False)
    _exits: Exits = field(init=False)
    _moved: float = field(init=False)
    _mover: str = ""
    _step_seconds: list[float] = field(default_factory=list)
    _ending: _Ending | None = None
    _closed: bool = False
    _non_finite: NonFiniteValues = field(default_factory=NonFiniteValues)

    def __post_init__(self) -> None:
        self._roles = Roles(self.arm)
        self._scheduler = FaultScheduler(self.arm, self.spawns)
        self._exits = Exits(self.arm, self._roles, self._scheduler)
        self._moved = self.began

    @property
    def over(self) -> bool:
        """Whether the arm ended, everything has been reported and no process is left."""
        return self._closed and not self._roles.alive

    @property
    def rests(self) -> bool:
        """Whether it waits for its turn: every worker stands where its last one ended, or its first one begins."""
        standing = [state.waiting is not None for state in self._roles.workers.values()]
        nothing_ends = self.ended is None and self._ending is None
        return self.arm.turn is not None and self.started is not None and nothing_ends and all(standing)

    # What happened

    def begin(self) -> list[Action]:
        """Start every process, on the hosts of a pocket cluster once that is there."""
        if self.arm.network is None:
            return self._scheduler.start(self.began)
        return [Connect("", self.arm.network.links(), self.arm.network.mtu, self.arm.workload.seed)]

    def on(self, event: Event) -> list[Action]:
        """React to one event from the agent or a worker; after the end, only note who leaves."""
        if self.ended is not None:
            if isinstance(event, Exited):
                self._roles[event.subject].exited = event
            self._closed = self._closed or isinstance(event, Closed)
            return []
        actions: list[Action] = []
        if self._moves_after_all(event):
            actions += self._revoke()
            if self.ended is not None:
                return actions
        if event.subject in self._roles.states:
            actions += self._scheduler.on(event, self.started is not None)
        react = self._reactions.get(type(event))
        return actions + react(event) if react else actions

    @cached_property
    def _reactions(self) -> Mapping[type[Event], Callable[[Any], list[Action]]]:
        return {
            Connected: self._on_connected,
            ConnectFailed: self._on_connect_failed,
            Imported: self._on_imported,
            Announced: self._on_comes_up,
            Ready: self._on_comes_up,
            Spawned: self._on_spawned,
            SpawnFailed: self._on_spawn_failed,
            Waiting: self._on_waiting,
            Progress: self._on_progress,
            Window: self._on_window,
            Gradients: self._on_non_finite,
            NotFinite: self._on_non_finite,
            Loss: self._on_loss,
            Done: self._on_done,
            Failed: self._on_failed,
            Recognised: self._on_recognised,
            Exited: self._on_exited,
            Stack: self._reported,
        }

    def _moves_after_all(self, event: Event) -> bool:
        """Whether the end was near only because nothing moved, and this shows that something does."""
        if self._ending is None or self._ending.stage == "":
            return False
        comes_up = isinstance(event, Announced | Imported | Ready) and self._ending.stage != "start-up"
        return comes_up or isinstance(event, Progress | Window | Waiting | Done)

    def _revoke(self) -> list[Action]:
        """Somebody moves after all: nothing ends, unless by those who left meanwhile."""
        assert self._ending is not None
        exits, self._ending = self._ending.exits, None
        actions: list[Action] = []
        for event in exits:
            if self.ended is None:
                actions += self._after_exit(event)
        return actions

    def _on_connected(self, event: Connected) -> list[Action]:
        return self._scheduler.start(event.t)

    def _on_connect_failed(self, event: ConnectFailed) -> list[Action]:
        reason = f"the pocket cluster could not be made: {event.reason}; see harness doctor"
        return self._end(event.t, "aborted", reason)

    def _survey(self) -> list[Action]:
        """Ask what the links have carried, where there are any."""
        return [] if self.arm.network is None else [Survey("")]

    def _on_spawned(self, event: Spawned) -> list[Action]:
        self._roles.spawn(event.subject, event.t)
        self._move(event)
        return []

    def _on_spawn_failed(self, event: SpawnFailed) -> list[Action]:
        reason = f"{event.subject} could not be started: {event.reason}"
        return self._end(event.t, "aborted", reason, event.subject)

    def _on_imported(self, event: Imported) -> list[Action]:
        """Note that MXNet is there; a job that something else has broken by then is MXNet's."""
        self._roles.imported = self._roles[event.subject].imported = True
        self._move(event)
        return self._end_now(event.t) if self._ending is not None and self._ending.unproven else []

    def _on_comes_up(self, event: Announced | Ready) -> list[Action]:
        """A process that takes another's place moves, too, before its first step."""
        role = self._roles[event.subject]
        role.ready = role.ready or isinstance(event, Ready)
        self._move(event)
        return []

    def _on_progress(self, event: Progress) -> list[Action]:
        self._roles[event.subject].step = event.step
        self._move(event)
        return []

    def _on_window(self, event: Window) -> list[Action]:
        self._roles[event.subject].step = event.first + event.steps
        self._move(event)
        if len(self._step_seconds) < _STEP_MEMORY:
            self._step_seconds.append(event.seconds / event.steps)
        ends_warmup = event.first + event.steps == self.arm.workload.warmup
        return self._survey() if ends_warmup and event.subject == self.arm.workers[0] else []

    def _on_non_finite(self, event: Gradients | NotFinite) -> list[Action]:
        self._non_finite.add(event)
        return []

    def _on_loss(self, event: Loss) -> list[Action]:
        """End the arm at the first loss that is not finite, once all have reported how it was until then."""
        self._roles[event.subject].reported = event.first + len(event.values)
        if self._non_finite.add(event) and self._ending is None:
            self._ending = _Ending("diverged", event.subject, "", deadline=event.t + DIVERGED_SECONDS)
        if self._ending is not None and self._ending.outcome == "diverged" and not self._silent():
            return self._end_now(event.t)
        return []

    def _silent(self) -> bool:
        """Whether a worker has yet to report the first step that is not finite."""
        first = self._non_finite.first_step
        training = [state for state in self._roles.workers.values() if state.lives]
        return any(not role.done and role.reported <= first for role in training)

    def _on_done(self, event: Done) -> list[Action]:
        role = self._roles[event.subject]
        role.done, role.step = True, event.step
        self._move(event)
        actions = self._survey() + self._moved_by(event.t, self._scheduler.finished(event.subject, event.step, event.t))
        return actions + self._stop_if_far_enough(event.t)

    def _on_failed(self, event: Failed) -> list[Action]:
        """Note an exception of the training script; one of our own code ends the arm, and says nothing of MXNet."""
        self._roles[event.subject].failed = event
        if not event.defect:
            return []
        reason = f"{event.subject} failed in code that is not MXNet's: {event.error}"
        return self._end(event.t, "aborted", reason, event.subject)

    def _on_recognised(self, event: Recognised) -> list[Action]:
        self._roles.kvstore = self._roles.kvstore or event.facts.get("kvstore", "")
        return []

    def _on_waiting(self, event: Waiting) -> list[Action]:
        """Let a worker go on that stands at a step: the first time with all others, later where a fault acts."""
        self._move(event)
        role = self._roles[event.subject]
        role.waiting, role.step = event.step, event.step
        if self.started is not None:
            return self._stand_still() if self.arm.turn else self._pass(event.subject, event.step, event.t)
        if all(state.waiting is not None for state in self._roles.workers.values()):
            return self._start(event.t)
        return []

    def _start(self, now: float) -> list[Action]:
        self.started = now
        actions: list[Action] = [Started(now, self.arm.name, "")]
        if self.arm.workload.warmup == 0:
            actions += self._survey()
        return actions + (self._stand_still() if self.arm.turn else self._pass_all(now))

    def _stand_still(self) -> list[Action]:
        """Stop what would compute while it waits for its turn, once all of it waits."""
        return [Signal(name, "STOP", None) for name in self._roles.alive] if self.rests and self.arm.restless else []

    def take_turn(self, now: float) -> list[Action]:
        """Let every worker go on, where they wait for their turn: for so many steps."""
        self._moved = now
        if not self.rests:
            return []
        going = self._roles.alive if self.arm.restless else []
        return [*(Signal(name, "CONT", None) for name in going), *self._pass_all(now)]

    def _pass_all(self, now: float) -> list[Action]:
        return self._pass_on(self.arm.workers, now)

    def _pass_on(self, workers: Sequence[str], now: float) -> list[Action]:
        return [action for name in workers for action in self._pass(name, self._roles[name].waiting or 0, now)]

    def _pass(self, worker: str, step: int, now: float) -> list[Action]:
        """End and begin what is due before ``step`` of ``worker``, then let it go on to the next such step."""
        actions = self._moved_by(now, self._scheduler.at_step(worker, step, now))
        if self.most_steps is not None and step >= self.most_steps:
            return [*actions, *self._stop_if_far_enough(now)]
        self._roles[worker].waiting = None
        until = step + self.arm.turn if self.arm.turn else self._scheduler.next_stop(step)
        if self.most_steps is not None:
            until = self.most_steps if until is None else min(until, self.most_steps)
        return [*actions, Credit(worker, until)]

    def _held(self) -> list[str]:
        """Workers that stand where the arm is to end."""
        if (most := self.most_steps) is None:
            return []
        return [name for name, state in self._roles.workers.items() if state.lives and (state.waiting or -1) >= most]

    def _stop_if_far_enough(self, now: float) -> list[Action]:
        """Stop the arm once every worker stands where it is to end, or has trained to its own end."""
        held = self._held()
        others = [state for name, state in self._roles.workers.items() if name not in held]
        return self._stopped(now) if held and all(state.done or state.exited for state in others) else []

    def _stopped(self, now: float) -> list[Action]:
        reason = f"at step {self.most_steps}, beyond where {self.arm.as_far_as} ended; how it goes on was not looked at"
        return self._end(now, "stopped", reason)

    def _moved_by(self, now: float, actions: list[Action]) -> list[Action]:
        """Count what a fault does as movement, so that the time before it is not held against the job."""
        if actions:
            self._moved = max(self._moved, now)
        return actions

    # Who leaves

    def _on_exited(self, event: Exited) -> list[Action]:
        """End the arm where a process may not leave; else, with the last one, complete it."""
        self._roles[event.subject].exited = event
        self._move(event)
        if self._ending is not None:
            self._ending.exits.append(event)
            return self._reported(event)
        return self._after_exit(event)

    def _after_exit(self, event: Exited) -> list[Action]:
        if (end := self._exits.broken_by(event, self.started is not None)) is not None:
            return self._broken(event, *end)
        if event.subject in self._scheduler.expected_exits and self._scheduler.will_restart:
            return []
        if self._roles.alive:
            return self._dismiss_services()
        return self._complete(event.t)

    def _broken(self, event: Exited, outcome: Outcome, reason: str) -> list[Action]:
        """End the arm; what serves may fail before a worker has shown that MXNet is there."""
        serves = event.subject not in self.arm.workers
        if outcome == "refused" and serves and not self._roles.imported and self._roles.any_worker_lives:
            self._ending = _Ending(outcome, event.subject, reason, deadline=event.t + IMPORT_SECONDS)
            return []
        return self._end(event.t, outcome, reason, event.subject)

    def _complete(self, now: float) -> list[Action]:
        """End as trained, unless weights are not finite, which losses need not show."""
        if self._non_finite.harmful:
            return self._end(now, "diverged", str(self._non_finite), self._non_finite.role)
        return self._end(now, "completed", self._exits.all_left())

    def _dismiss_services(self) -> list[Action]:
        """Ask what only serves workers to leave, since it does not by itself."""
        actions: list[Action] = []
        for role in () if self._roles.any_worker_lives else self.arm.roles:
            state = self._roles[role.name]
            if role.service and state.lives and not state.dismissed:
                state.dismissed = True
                actions.append(Signal(role.name, "TERM", None))
        return actions

    # What the clock says

    def deadline(self) -> float | None:
        """When `tick` has something to do; None once the arm ended, or rests."""
        if self.ended is not None or self.rests:
            return None
        if self._ending is not None:
            return self._ending.deadline
        last = self.began + self.startup_timeout if self.started is None else self._stall_deadline()
        return min(chain(self._scheduler.moments(self.started), [last]))

    def _stall_deadline(self) -> float:
        """Standing still does not count while the clock has yet to end a fault."""
        step = median(self._step_seconds) if self._step_seconds else 0.0
        patience = max(self.stall_timeout, STALL_STEPS * step) * self._scheduler.slowdown
        began = [self._roles[name].spawned or 0.0 for name in self._roles.importing]
        starting = [moment + self.startup_timeout for moment in began]
        return max([max([self._moved, *self._scheduler.healing]) + patience, *starting])

    def _move(self, event: Event) -> None:
        """Note that somebody moved; what is reported late takes back nothing."""
        self._moved = max(self._moved, event.t)
        if event.subject in self.arm.workers:
            self._mover = event.subject

    def excuse(self, seconds: float) -> None:
        """Leave out a time in which nobody listened: silence in it says nothing."""
        self._moved += seconds
        self.began += seconds if self.started is None else 0.0

    def tick(self, now: float) -> list[Action]:
        """Do what is due at ``now``."""
        if self.ended is not None or self.rests:
            return []
        if self._ending is not None:
            return self._end_now(now) if now >= self._ending.deadline else []
        actions = self._moved_by(now, self._scheduler.due(now, self.started))
        if self.started is None:
            return actions + (self._startup_failed(now) if now >= self.began + self.startup_timeout else [])
        left_alone = self._roles.done and not self._roles.any_worker_lives
        if left_alone and now >= self._moved + ELSEWHERE_SECONDS and (other := self._exits.trains_elsewhere()):
            return [*actions, *self._end(now, "aborted", other)]
        return actions + (self._stalled(now) if now >= self._stall_deadline() else [])

    def _startup_failed(self, now: float) -> list[Action]:
        late = [name for name, state in self._roles.workers.items() if state.waiting is None]
        reason = f"after {self.startup_timeout:g} s {', '.join(late)} had not come up"
        if self.arm.workload.script is not None:
            reason += ": no first batch, gradient or update; one that prepares for longer needs startup_timeout"
        return self._look(now, _Ending("refused", (self._roles.importing or late)[0], reason, stage="start-up"))

    def _stalled(self, now: float) -> list[Action]:
        if held := self._held():  # others may wait for who is held here, as in a barrier of the script's
            self.most_steps, self._moved = None, now
            return self._pass_on(held, now)
        alive = self._roles.alive
        steps = [f"{name} at step {self._roles[name].step}" for name in self.arm.workers if name in alive]
        training = [name for name in alive if name in self.arm.workers and not self._roles[name].done]
        if not training and (other := self._exits.trains_elsewhere()):
            return self._end(now, "aborted", other)
        where = ", ".join(steps) if training else f"{', '.join(alive)} had finished and did not leave"
        failed = {name: known for name in alive if (known := self._roles[name].failed)}
        broken = "".join(
            f"; {name} had failed with {self._exits.in_short(one)} and did not leave" for name, one in failed.items()
        )
        last = f"; last to move was {self._mover}" if self._mover and len(self.arm.workers) > 1 else ""
        reason = f"nothing moved for {now - self._moved:.1f} s: {where}{broken}{self._exits.left_early()}{last}"
        blamed = (self._roles.importing or training or alive or [""])[0]
        return self._look(now, _Ending("hung", blamed, reason, stage="training" if training else "exit"))

    def _look(self, now: float, ending: _Ending) -> list[Action]:
        """Look at the stacks of all who live, since nobody moves, then end."""
        alive = self._roles.alive
        self._ending = replace(ending, missing={*alive}, deadline=now + STACKS_SECONDS)
        return [Snapshot(name) for name in alive] if alive else self._end_now(now)

    def _reported(self, event: Event) -> list[Action]:
        """Wait for one report less; with the last one, end."""
        if self._ending is None or self._ending.outcome == "diverged":
            return []
        if self._ending.unproven:
            return [] if self._roles.any_worker_lives else self._end_now(event.t)
        self._ending.missing.discard(event.subject)
        return [] if self._ending.missing else self._end_now(event.t)

    def _end_now(self, now: float) -> list[Action]:
        assert self._ending is not None
        ending = self._ending
        if ending.outcome == "diverged":
            return self._end(now, "diverged", str(self._non_finite), self._non_finite.role)
        return self._end(now, ending.outcome, ending.reason, ending.role, ending.stage)

    # The end

    def stop(self, now: float, outcome: Outcome, reason: str) -> list[Action]:
        """End early, from outside: interrupted or aborted."""
        return [] if self.ended is not None else self._end(now, outcome, reason)

    def _end(self, now: float, outcome: Outcome, reason: str, role: str = "", stage: Stage = "") -> list[Action]:
        if outcome in ("refused", "crashed", "hung") and (who := self._exits.lacks_mxnet(role)):
            outcome, reason = "aborted", f"{reason}; mxnet was never there in {who}"
        self.ended = Ended(now, self.arm.name, role, outcome, reason, stage=stage, steps=self._roles.most_taken)
        return [*self._scheduler.end(now, outcome), *self._survey(), self.ended, Shutdown("", GRACE_SECONDS)]
