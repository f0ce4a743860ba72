"""Decides which faults begin and end now. Pure, as the conductor is, whose part it is."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from harness.execution.fault_state import FaultState
from harness.faults import Follows, Heals, Prepares
from harness.planning.plan import Arm
from harness.topologies import NODE_PORT
from harness.vocabulary.events import (
    Checkpointed,
    Done,
    Event,
    Exited,
    Healed,
    Injected,
    Resumed,
    Signalled,
    Spawned,
    Superseded,
)
from harness.vocabulary.instructions import Instruction, Spawn
from harness.vocabulary.receipts import MOMENT_SECONDS

Action = Instruction | Event
"""What is to be done: by the agent, or by writing it into the history."""

_WORDS: dict[type[Event], str] = {
    Checkpointed: "checkpointed",
    Done: "done",
    Exited: "exited",
    Resumed: "resumed",
}
"""What schedules call events (`harness.vocabulary.schedule.EventWord`)."""

_BROKEN = ("hung", "crashed", "diverged")
"""Outcomes after which nothing more can begin."""


class FaultScheduler:
    """The faults of one arm. What each method returns belongs to the same moment.

    A fault of steps holds in its own steps only: it ends with the process that it acts on, and begins again when the
    process in its place comes to those steps. A clock that has left is replaced by the first worker that trains.
    """

    def __init__(self, arm: Arm, spawns: Mapping[str, Spawn]) -> None:
        self._arm, self._spawns = arm, spawns
        self._faults = [FaultState(injection) for injection in arm.schedule]
        self._alive: set[str] = set()
        self._starting: set[str] = set()
        self._left: set[str] = set()
        self._began: set[str] = set()
        self._steps = dict.fromkeys(arm.workers, 0)
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
            actions += self._inject(fault_there, now, None) if fault_there else self._spawn(role.name, now, None)
        return actions

    def _spawn(self, role: str, now: float, by: int | None) -> list[Action]:
        """Start a role, unless it lives or is on its way."""
        if role in self._alive | self._starting:
            return []
        self._starting.add(role)
        self._left.discard(role)
        actions: list[Action] = [replace(self._as_before(role), fault=by)]
        for fault in self._faults:
            if fault.life.at_startup and not fault.life.withholds and fault.injection.subject == role and fault.waits:
                actions += self._inject(fault, now, None)
        return actions

    def _as_before(self, role: str) -> Spawn:
        """What starts a role; one that comes back to a job that goes on has another port, as anywhere.

        At the same one, ps-lite's others would not connect anew, and what they had sent to the dead would come to it.
        """
        spawn = self._spawns[role]
        if role == "scheduler" and not self._alive:
            self._began.clear()
        if role in self._began:
            spawn = replace(spawn, env={name: value for name, value in spawn.env.items() if name != NODE_PORT})
        self._began.add(role)
        return spawn

    def on(self, event: Event, started: bool) -> list[Action]:
        """React to what a role did: to processes that come and go, for faults in force, for faults that wait."""
        actions: list[Action] = []
        if isinstance(event, Spawned):
            actions += self._on_spawned(event)
        elif isinstance(event, Exited):
            actions += self._on_exited(event)
        elif isinstance(event, Signalled):
            self._on_signalled(event)
        actions += self._follow(event)
        return actions + (self._awaited(event) if started else [])

    def _on_spawned(self, event: Spawned) -> list[Action]:
        """Let what is in force on a role hold for its new process."""
        role = event.subject
        self._starting.discard(role)
        self._alive.add(role)
        actions: list[Action] = []
        for fault in self._faults:
            fault.gone.discard(role)
            if fault.injection.subject != role or not fault.outlives_process:
                continue
            if fault.active:
                fault.cut_by = None
                actions += fault.part.inject(role, fault.injection.fault)
            elif fault.interrupted and fault.waits and (clock := self._clock(fault)) != role:
                actions += self._inject_if_due(fault, clock, event.t)
        for fault in self._faults:  # not before: what has just come back may give way to what comes back beside it
            if fault.injection.subject == role:
                fault.absent_by = None
        return actions

    def _inject_if_due(self, fault: FaultState, clock: str, now: float) -> list[Action]:
        step = self._steps[clock]
        return self._inject(fault, now, step) if fault.covers(step) else []

    def _on_exited(self, event: Exited) -> list[Action]:
        """End what acts on a process that is gone: for good, or until there is another in its place."""
        role = event.subject
        self._alive.discard(role)
        self._starting.discard(role)
        for fault in self._faults:
            if fault.active and role in fault.victims:
                fault.mark_exited(role, event.t)
        comes_back = self._comes_back(role)
        if not comes_back:
            self._left.add(role)
        in_force = [fault for fault in self._faults if fault.active]
        return [action for fault in in_force for action in self._without_process(fault, role, event.t, comes_back)]

    def _without_process(self, fault: FaultState, role: str, now: float, comes_back: bool) -> list[Action]:
        """What becomes of a fault in force when a process is gone."""
        if fault.injection.subject != role:
            held = comes_back and fault.by_steps and fault.injection.clock == role
            return self._interrupt(fault, now, None, self._killer(role)) if held else []
        if fault.life.suspends:
            return self._cut_short(fault, now, f"{role} was gone")
        if not fault.outlives_process:
            return []
        if comes_back and fault.by_steps:
            return self._interrupt(fault, now, None, self._killer(role))
        self._note_cut(fault, now, self._killer(role))
        if comes_back:
            return []
        killer = self._killer(role) if fault.long else None
        told = [self._superseded(fault, killer, now, f"{role} was gone")] if killer else []
        return [*told, *self._heal(fault, now, None)]

    def _note_cut(self, fault: FaultState, now: float, killer: FaultState | None) -> None:
        """Remember who ended a process before a fault on it had any time to act."""
        fault.long = fault.long or now - _began(fault) >= MOMENT_SECONDS
        fault.cut_by = None if fault.long else killer

    def _cut_short(self, fault: FaultState, now: float, reason: str) -> list[Action]:
        """End what stops a process that is gone: before its time, where another fault has ended that."""
        killer = self._killer(fault.injection.subject)
        if killer is None:  # by itself: the agent tells that it is gone
            return self._heal(fault, now, None)
        return [self._superseded(fault, killer, now, reason), *self._give_up(fault, now)]

    def _comes_back(self, role: str) -> bool:
        return role in self._starting or any(fault.will_restart and role in fault.victims for fault in self._faults)

    def _on_signalled(self, event: Signalled) -> None:
        """Count the time of what stops a process from when it stood still; a busy agent may be late."""
        for fault in self._faults if event.signal == "STOP" else ():
            if fault.active and fault.injection.fault == event.fault:
                fault.stopped_at = fault.stopped_at or event.t

    def _follow(self, event: Event) -> list[Action]:
        number = getattr(event, "fault", None)
        return [
            instruction
            for fault in self._faults
            if fault.active and fault.injection.fault == number and isinstance(fault.part, Follows)
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
        self._steps[worker] = step
        own = [fault for fault in self._faults if fault.injection.first_step is not None]
        own = [fault for fault in own if self._clock(fault) == worker]
        actions = [action for fault in own for action in self._end_by_step(fault, step, now)]
        beginning = [fault for fault in own if fault.waits and fault.covers(step)]
        return actions + [action for fault in beginning for action in self._inject(fault, now, step)]

    def _end_by_step(self, fault: FaultState, step: int, now: float) -> list[Action]:
        """End a fault whose steps are over; let one wait whose clock went back to before them."""
        first, last = fault.injection.first_step, fault.injection.last_step
        if last is None or first is None or first <= step < last:
            return []
        if step < first:
            return self._interrupt(fault, now, step) if fault.active else []
        if fault.active:
            return self._heal(fault, now, step)
        return self._overtaken(fault, now) if fault.waits else []

    def _overtaken(self, fault: FaultState, now: float) -> list[Action]:
        """Give up a fault whose steps were over before there was a process to act on again, or at all."""
        clock = fault.injection.clock
        restarts = [other for other in self._faults if other.life.restart_after is not None and clock in other.victims]
        if not fault.interrupted and not restarts:
            return []
        fault.finish()
        cause = fault.cut_by if fault.interrupted else max(restarts, key=_began)
        return [] if cause is None else [self._superseded(fault, cause, now, f"{clock} went on beyond its steps")]

    def finished(self, worker: str, step: int, now: float) -> list[Action]:
        """End what only the steps of a worker could end: it has taken its last one."""
        own = [fault for fault in self._faults if fault.active and self._clock(fault) == worker]
        self._left.add(worker)
        ending = [fault for fault in own if fault.heal_at is None and not fault.life.terminates]
        actions = [action for fault in ending for action in self._heal(fault, now, step)]
        for fault in own:
            if fault.life.terminates and isinstance(fault.part, Follows):  # what it waited for never came
                self.expected_exits.difference_update(fault.victims)
                actions += self._give_up(fault, now)
        return actions

    def _clock(self, fault: FaultState) -> str:
        """Whose steps count: the planned worker's, or where that has left, those of the first that trains.

        What a worker commits itself has no other clock than its own.
        """
        clock = fault.injection.clock
        if clock not in self._left or fault.part.kind == "worker":
            return clock
        return next((worker for worker in self._arm.workers if worker not in self._left), clock)

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

    def end(self, now: float, outcome: str) -> list[Action]:
        """End what is in force: the arm is over, and nobody is started any more. Say what could not begin, and why."""
        in_force = [fault for fault in self._faults if fault.active]
        waiting = [fault for fault in self._faults if fault.waits and not fault.interrupted]
        unfinished = [fault for fault in [*in_force, *waiting] if fault.cut_by is None]
        ending = [fault for fault in in_force if not fault.will_restart]
        actions = [action for fault in ending for action in self._heal(fault, now, None)]
        for fault in unfinished:
            cause = self._cause(fault, in_force, outcome)
            if cause is not None:
                actions.append(self._superseded(fault, cause[0], now, cause[1]))
        return actions + [action for fault in self._faults if fault.waits for action in self._told_cut(fault, now)]

    def _cause(self, fault: FaultState, in_force: Sequence[FaultState], outcome: str) -> tuple[FaultState, str] | None:
        """Which fault before it left one that has not begun nothing to act on; or one that needs a step or a packet.

        Only what ended a process, or was in force to the end, can have broken the job.
        """
        subject = fault.injection.subject
        killer = self._killer(subject) if fault.needs_process and fault.injected_at is None else None
        if killer is not None:
            return killer, f"{subject} was gone"
        if outcome not in _BROKEN or (fault.injected_at is not None and fault.part.kind == "process"):
            return None
        until = math.inf if fault.injected_at is None else fault.injected_at
        able = [other for other in self._faults if other.life.terminates or other in in_force]
        before = [other for other in able if other is not fault and other.injected_at and _began(other) < until]
        return (max(before, key=_began), f"the job was {outcome} after it") if before else None

    def _superseded(self, fault: FaultState, by: FaultState, now: float, reason: str) -> Superseded:
        injection = fault.injection
        return Superseded(now, self._arm.name, injection.subject, injection.fault, by.injection.fault, reason)

    # What will happen

    def next_stop(self, step: int) -> int | None:
        """The next step at which all workers stop, so that their windows have the same steps."""
        marks = [mark for injection in self._arm.schedule for mark in (injection.first_step, injection.last_step)]
        last = self._arm.workload.steps or math.inf
        later = [mark for mark in marks if mark is not None and step < mark < last]
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

    def _inject(self, fault: FaultState, now: float, step: int | None) -> list[Action]:
        injection, life, subject = fault.injection, fault.life, fault.injection.subject
        if (condemned_by := self._condemned(fault)) is not None:
            fault.finish()
            return [self._superseded(fault, condemned_by, now, f"{subject} was about to be started again")]
        if fault.needs_process and subject not in self._alive and (actions := self._impossible(fault, now)) is not None:
            return actions
        fault.begin(now, [role.name for role in self._arm.roles] if life.whole_job else [subject])
        away = fault.outlives_process and subject not in self._alive
        fault.absent_by = self._killer(subject) if away else None
        actions = self._take_over(fault, now)
        actions.append(Injected(now, self._arm.name, subject, injection.fault, step))
        if life.terminates:
            self.expected_exits.update(fault.victims)
            for gone in set(fault.victims) - self._alive:
                fault.mark_exited(gone, now)
        for victim in fault.victims:
            actions += fault.part.inject(victim, injection.fault)
        if life.instantaneous:
            fault.finish()
            actions.append(Healed(now, self._arm.name, subject, injection.fault, step))
        return actions

    def _condemned(self, fault: FaultState) -> FaultState | None:
        """The fault that has ended already what this one is to end, and will start it again."""
        if not fault.life.terminates:
            return None
        subject, whole = fault.injection.subject, fault.life.whole_job
        alike = [other for other in self._faults if other.will_restart and (other.life.whole_job or not whole)]
        return next((other for other in alike if subject in other.victims), None)

    def _impossible(self, fault: FaultState, now: float) -> list[Action] | None:
        """What becomes of a fault whose process is not there; None where it can begin on the next one."""
        subject = fault.injection.subject
        killer = self._killer(subject)
        if killer is None:
            if subject in self._left:  # by itself
                fault.finish()
                return []
            return None
        if fault.outlives_process and self._comes_back(subject):
            if not fault.by_steps:
                return None
            fault.interrupted = True
            fault.cut_by = None if fault.long else killer
            return []
        fault.finish()
        return [self._superseded(fault, killer, now, f"{subject} was gone")]

    def _killer(self, role: str) -> FaultState | None:
        """The fault that ended a role which is gone, if one did."""
        if role in self._alive:
            return None
        killers = [fault for fault in self._faults if fault.life.terminates and role in fault.gone]
        return max(killers, key=_began, default=None)

    def _take_over(self, fault: FaultState, now: float) -> list[Action]:
        """End other faults that cannot be in force beside this one: of its kind, or restarts that it includes."""
        actions: list[Action] = []
        for other in self._faults:
            if other is fault or not other.active:
                continue
            alike = other.part.name == fault.part.name and other.injection.subject == fault.injection.subject
            included = fault.life.whole_job and other.will_restart
            if (alike and fault.part.exclusive) or included:
                reason = f"{fault.part.name} of {fault.injection.subject} took its place"
                actions.append(self._superseded(other, fault, now, reason))
                actions += self._give_up(other, now) if included else self._heal(other, now, None)
        return actions

    def _give_up(self, fault: FaultState, now: float) -> list[Action]:
        """End it without doing what it would have done at its end."""
        fault.finish()
        return [Healed(now, self._arm.name, fault.injection.subject, fault.injection.fault, None)]

    def _interrupt(
        self, fault: FaultState, now: float, step: int | None, killer: FaultState | None = None
    ) -> list[Action]:
        """Let a fault end until its clock comes to its steps again, on another process maybe."""
        actions = self._undo(fault, now, step)
        fault.interrupt()
        self._note_cut(fault, now, killer)
        return actions

    def _told_cut(self, fault: FaultState, now: float) -> list[Action]:
        """Say that it is over without ever having had time to act, where that is so."""
        killer, fault.cut_by = fault.cut_by, None
        return [self._superseded(fault, killer, now, f"{fault.injection.subject} was gone")] if killer else []

    def _heal(self, fault: FaultState, now: float, step: int | None) -> list[Action]:
        """End it for good; say so where it never had a process that it could act on."""
        subject = fault.injection.subject
        actions = self._undo(fault, now, step) + self._told_cut(fault, now)
        if fault.absent_by is not None:
            actions.append(self._superseded(fault, fault.absent_by, now, f"{subject} was gone"))
        if (pause := self._stood_still(fault)) is not None:
            actions.append(self._superseded(fault, pause, now, f"{subject} stood still"))
        return actions

    def _undo(self, fault: FaultState, now: float, step: int | None) -> list[Action]:
        """Let it be over, and do what it does at its end."""
        injection = fault.injection
        fault.finish()
        actions: list[Action] = []
        if isinstance(fault.part, Heals):
            actions += fault.part.heal(injection.subject, injection.fault)
        if fault.life.restart_after is not None:
            self.expected_exits.difference_update(fault.victims)
            restarts = [action for victim in fault.victims for action in self._spawn(victim, now, injection.fault)]
            actions = [*restarts, *actions]
        if actions:
            actions.append(Healed(now, self._arm.name, injection.subject, injection.fault, step))
        return actions

    def _stood_still(self, fault: FaultState) -> FaultState | None:
        """The fault that stopped the process for all the time in which this one was to slow it down."""
        if fault.life.slowdown == 1:
            return None
        stopping = [other for other in self._faults if other.active and other.life.suspends]
        own = [other for other in stopping if other.injection.subject == fault.injection.subject]
        return next((other for other in own if _began(other) <= _began(fault)), None)


def _began(fault: FaultState) -> float:
    return fault.injected_at or 0.0
