"""The world that answers the conductor's instructions with the events that a real one would, and knows the truth.

Time is virtual. What the world does by itself (how long things take, in which order pipes are read) is drawn from a
seed; what goes wrong in it is a `Misbehaviour`.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import count
from random import Random
from typing import Any, Literal

from harness.execution.conductor import Conductor
from harness.faults import Fault
from harness.faults.checkpoint_corrupt import Damaged
from harness.faults.checkpoint_kill import Checkpointing
from harness.faults.cpu_hog import Hogged
from harness.faults.disk_full import Filled
from harness.faults.late_start import LateStart
from harness.faults.memory_limit import Limited
from harness.faults.slow import Throttled
from harness.faults.wrong_start import Environment
from harness.planning.plan import Plan
from harness.vocabulary import events, instructions
from harness.vocabulary.events import Event
from harness.vocabulary.instructions import Instruction, Spawn

STEP_SECONDS = 0.01
LONGEST_SECONDS = 3000.0
WayWrong = Literal["ignores", "wrong role", "stops early", "never undoes", "dies", "hiccup", "never imports"]
HICCUP_SECONDS = 6.0
"""Longer than the stall timeout of the drawn scenarios, shorter than that and the time that stacks may take."""

ZOMBIE_SECONDS = 0.1
"""So long is one that is gone still in ``/proc``, and can be sent signals."""

PACKETS = 40
"""A segment of steps lets so many packets come by in each direction of a worker's link."""


@dataclass(frozen=True)
class Misbehaviour:
    """What is wrong with the world: of which fault (by number), or with which role and when.

    ``hiccup``: nobody trains for a while, the role dies of an error shortly before all others go on. ``never imports``:
    the role, or where none is named any, ends before it has imported MXNet.
    """

    way: WayWrong
    fault: int = 0
    role: str = ""
    at: float = 0.0


@dataclass
class Process:
    """One process of a role."""

    role: str
    pid: int
    alive: bool = True
    stopped: bool = False
    imported: bool = False
    ready: bool = False
    step: int = 0
    until: int | None = 0
    computed: int = 0
    segment: int | None = None
    finished: bool = False
    saved: int = 0
    env: dict[str, str] = field(default_factory=dict)
    commands: list[tuple[str, int]] = field(default_factory=list)
    tampering: dict[int, int] = field(default_factory=dict)
    delivered: float = 0.0
    left: float = 0.0


@dataclass
class Truth:
    """What really happened with one fault: when, on whom, in which steps, and whether it was undone.

    ``acted``: it had its effect on its own subject. ``cut``: the agent ended it for another of its kind, unasked.
    """

    acted: bool = False
    cut: bool = False
    began: list[tuple[float, str]] = field(default_factory=list)
    steps: list[int] = field(default_factory=list)
    in_force: set[str] = field(default_factory=set)
    signals: list[tuple[str, str]] = field(default_factory=list)


class World:
    """One arm, from its first instruction to the end."""

    def __init__(self, plan: Plan, seed: int, wrong: Misbehaviour | None = None) -> None:
        self.plan, self.arm = plan, plan.arms[-1]
        self.wrong = wrong
        self.random = Random(seed)
        self.now = 0.0
        self._queue: list[tuple[float, int, Callable[[], None]]] = []
        self._serial = count()
        self._inbox: list[tuple[float, int, Event]] = []
        self.processes: dict[str, Process] = {}
        self._pids = count(100)
        self.truths = {injection.fault: Truth(acted=_is_never(injection.part)) for injection in self.arm.schedule}
        self.checkpoints: dict[int, bool] = {0: True}
        """By step: whether it is good. There is always a beginning."""
        self._full: set[int] = set()
        self.history: list[Event] = []
        self.instructions: list[tuple[float, Instruction]] = []
        self.asked_after_end: list[Instruction] = []
        self.broken_rules: list[str] = []
        self.trained: set[str] = set()
        self.errors: set[str] = set()
        self._throttles: dict[int, tuple[float, Process]] = {}
        self._links: dict[tuple[int, str, str], dict[str, Any]] = {}
        self._shutdown = False
        self._obeyed_at = self._thaws_at = 0.0
        spawns = {role.name: Spawn(role.name, ("python",), role.env, "/", "log", role.host) for role in self.arm.roles}
        self.conductor = Conductor(self.arm, plan.startup_timeout, plan.stall_timeout, spawns, 0.0)

    # The controller's loop, as in `harness.execution.run`

    def run(self) -> list[Event]:
        """Let everything happen; the history."""
        if self.wrong is not None and self.wrong.way == "dies":
            self._at(self.wrong.at, self._die_by_itself)
        if self.wrong is not None and self.wrong.way == "hiccup":
            self._thaws_at = self.wrong.at + HICCUP_SECONDS
            self._at(self._thaws_at - 0.3, self._die_by_itself)
            self._at(self._thaws_at, self._complete_all)
        self._do(self.conductor.begin())
        while not self._over():
            self._turn()
        return self.history

    def _over(self) -> bool:
        ended = self.conductor.ended
        late = ended is not None and self.now > ended.t + 3.0
        return self.conductor.over or late or self.now > LONGEST_SECONDS

    def _turn(self) -> None:
        """Go to the next moment at which anything happens."""
        moments = [queue[0][0] for queue in (self._queue, self._inbox) if queue]
        deadline = self.conductor.deadline()
        moments += [] if deadline is None else [deadline]
        self.now = max(self.now, min(moments, default=self.now + 0.2))
        while self._queue and self._queue[0][0] <= self.now:
            heapq.heappop(self._queue)[2]()
        while self._inbox and self._inbox[0][0] <= self.now:
            event = heapq.heappop(self._inbox)[2]
            self.history.append(event)
            self._do(self.conductor.on(event))
        self._do(self.conductor.tick(self.now))

    def _do(self, actions: list[Any]) -> None:
        for action in actions:
            if isinstance(action, Event):
                self.history.append(action)
            else:
                if any(isinstance(event, events.Ended) for event in self.history[-3:]):
                    self.asked_after_end.append(action)
                self.instructions.append((self.now, action))
                self._obeyed_at = max(self._obeyed_at, self.now + self.random.uniform(0, 0.001))
                self._at(self._obeyed_at, lambda action=action: self._perform(action))  # type: ignore[misc]

    def _at(self, t: float, act: Callable[[], None]) -> None:
        """Instructions are obeyed in their order."""
        heapq.heappush(self._queue, (t, next(self._serial), act))

    def _tell(self, process: Process | None, kind: type[Event], subject: str, *fields: Any) -> None:
        """An event, read some time later; those of one process in their order."""
        event = kind(round(self.now, 6), self.arm.name, subject, *fields)
        at = self.now + self.random.choice((0.0, 0.0, 0.001, 0.02))
        if process is not None:
            at = process.delivered = max(at, process.delivered)
        heapq.heappush(self._inbox, (at, next(self._serial), event))

    # The agent

    def _perform(self, instruction: Instruction) -> None:
        if self._is_wrong(instruction):
            return
        name = f"_on_{type(instruction).__name__.lower()}"
        getattr(self, name)(instruction)

    def _is_wrong(self, instruction: Instruction) -> bool:
        """Whether the agent does something else with an instruction that begins or ends a fault."""
        wrong, number = self.wrong, getattr(instruction, "fault", None)
        if wrong is None or number != wrong.fault or isinstance(instruction, Spawn):
            return False
        ends = isinstance(instruction, instructions.Undo | instructions.Restore | instructions.EndInProcess)
        ends = ends or (isinstance(instruction, instructions.Signal) and instruction.signal == "CONT")
        return (wrong.way == "ignores" and not ends) or (wrong.way == "never undoes" and ends)

    def _subject(self, instruction: Instruction) -> str:
        """Whom the agent acts on: another one, where it errs."""
        wrong, number = self.wrong, getattr(instruction, "fault", None)
        if wrong is not None and wrong.way == "wrong role" and number == wrong.fault:
            others = [role for role in self.processes if role != instruction.subject]
            return others[0] if others else instruction.subject
        return instruction.subject

    def _on_connect(self, _: Instruction) -> None:
        self._tell(None, events.Connected, "", 99)

    def _on_spawn(self, spawn: Spawn) -> None:
        there = self.processes.get(spawn.subject)
        if there is not None and there.alive:
            self.broken_rules.append(f"{spawn.subject} was started while it lives")
            there.alive = False
        process = self.processes[spawn.subject] = Process(spawn.subject, next(self._pids), env=dict(spawn.env))
        self._note_start(spawn.subject)
        self._tell(process, events.Spawned, spawn.subject, process.pid, spawn.fault)
        takes = self.random.uniform(0.5, 1.5) if self.random.random() < 0.9 else self.random.uniform(4.0, 8.0)
        self._at(self.now + takes, lambda: self._imports(process))

    def _note_start(self, role: str) -> None:
        """Faults on a start have their effect with the first one."""
        for injection in self.arm.schedule:
            truth, part = self.truths[injection.fault], injection.part
            if injection.subject == role and part.name == "wrong_start":
                truth.acted = True
            elif injection.subject == role and isinstance(part, LateStart):
                truth.acted = part.by is not None and (truth.acted or self.now >= part.by)

    def _on_credit(self, credit: instructions.Credit) -> None:
        process = self.processes[credit.subject]
        if process.alive:
            process.commands.append(("credit", -1 if credit.until is None else credit.until))
            self._obey(process)

    def _on_begininprocess(self, begin: instructions.BeginInProcess) -> None:
        self._command(begin, "begin", begin.fault)

    def _on_endinprocess(self, end: instructions.EndInProcess) -> None:
        self._command(end, "end", end.fault)

    def _command(self, instruction: Instruction, word: str, number: int) -> None:
        process = self.processes.get(self._subject(instruction))
        if process is not None and process.alive:
            process.commands.append((word, number))

    def _on_signal(self, signal: instructions.Signal) -> None:
        process = self.processes.get(self._subject(signal))
        if process is None or not process.alive:
            fresh = process is not None and self.now - process.left < ZOMBIE_SECONDS
            state = "Z" if fresh else ""
            self._tell(None, events.Signalled, signal.subject, signal.fault, signal.signal, state, state, 0.0)
            return
        before = "T" if process.stopped else "S"
        after = {"STOP": "T", "CONT": "S", "KILL": "Z", "TERM": "S"}[signal.signal]
        reported = self.processes.get(signal.subject)
        seen = after if process.role == signal.subject else ("T" if reported and reported.stopped else "S")
        fields = (signal.fault, signal.signal, before, seen, 1.0)
        self._tell(process if process.role == signal.subject else None, events.Signalled, signal.subject, *fields)
        if signal.fault is not None:
            self.truths[signal.fault].signals.append((signal.signal, process.role))
        self._signal(process, signal.signal, signal.fault)

    def _signal(self, process: Process, name: str, fault: int | None) -> None:
        if fault is not None:
            self.truths[fault].acted |= self._own(fault, process.role)
        if name == "STOP":
            process.stopped = True
            if fault is not None:
                self.truths[fault].in_force.add(process.role)
            if self.wrong is not None and self.wrong.way == "stops early" and fault == self.wrong.fault:
                self._at(self.now + 0.01, lambda: self._continue(process))
        elif name == "CONT":
            if fault is not None:
                self.truths[fault].in_force.discard(process.role)
            self._continue(process)
        elif name == "KILL":
            self._leave(process, None, 9)
        else:
            self._at(self.now + 0.05, lambda: self._leave(process, 0, None))

    def _part(self, fault: int) -> Any:
        return next(injection.part for injection in self.arm.schedule if injection.fault == fault)

    def _own(self, fault: int, role: str) -> bool:
        injection = next(injection for injection in self.arm.schedule if injection.fault == fault)
        return role == injection.subject or injection.part.life.whole_job

    def _continue(self, process: Process) -> None:
        process.stopped = False
        self._complete_all()

    def _on_act(self, act: instructions.Act) -> None:
        process = self.processes.get(self._subject(act))
        if process is None or not process.alive:
            return
        if act.name == "wrong_start":
            values = {name: process.env[name] for name in act.parameters["names"] if name in process.env}
            self._tell(process, Environment, process.role, act.fault, values)
            return
        if act.name == "checkpoint_corrupt":
            self._damage(act.fault, process)
            return
        self._undo(act.fault)
        self._end_others(act, process)
        self.truths[act.fault].began.append((self.now, process.role))
        self.truths[act.fault].in_force.add(process.role)
        self.truths[act.fault].acted |= self._own(act.fault, process.role)
        self._throttles[act.fault] = (self.now, process)
        if act.name == "memory_limit":
            fields = (act.fault, process.pid, False, None, act.parameters["bytes"], 10**8)
            self._tell(process, Limited, act.subject if process.role == act.subject else process.role, *fields)
        if act.name == "disk_full":
            free = 0 if self._full else 10**7
            self.truths[act.fault].acted |= free > 0
            self._full.add(act.fault)
            self._tell(process, Filled, process.role, act.fault, free, 0)
        if self.wrong is not None and self.wrong.way == "stops early" and act.fault == self.wrong.fault:
            self._at(self.now + 0.01, lambda: self._stop_early(act.fault))

    def _end_others(self, act: instructions.Act, process: Process) -> None:
        """One throttle and one limit on a process at a time, as the real agent has it."""
        for fault, (_, held) in list(self._throttles.items()):
            if act.name in ("slow", "memory_limit") and self._part(fault).name == act.name and held is process:
                self.truths[fault].cut = True
                self._undo(fault)

    def _damage(self, fault: int, process: Process) -> None:
        """The newest file of worker 0, which is the only one to have any."""
        newest = max(self.checkpoints)
        if not newest or process.role != "worker/0":
            self._tell(process, Damaged, process.role, fault, "", "", "", 0, 0)
            return
        self.checkpoints[newest] = False
        self.truths[fault].acted = True
        self._tell(process, Damaged, process.role, fault, f"{newest}.checkpoint", "a" * 64, "b" * 64, 9, 9)

    def _stop_early(self, fault: int) -> None:
        """It is over, and nobody hears of that; when asked to end it, the agent tells what it did."""
        if fault in self._throttles:
            began, process = self._throttles[fault]
            self._throttles[fault] = (-(self.now - began), process)

    def _on_undo(self, undo: instructions.Undo) -> None:
        self._undo(undo.fault)

    def _undo(self, fault: int) -> None:
        if fault not in self._throttles:
            return
        began, process = self._throttles.pop(fault)
        self.truths[fault].in_force.discard(process.role)
        worked = -began if began < 0 else self.now - began
        elapsed = max(worked, 1e-6) if began >= 0 else worked * 50
        injection = next(injection for injection in self.arm.schedule if injection.fault == fault)
        name, part = injection.part.name, injection.part
        gone = not process.alive
        if name == "slow":
            factor = part.factor  # type: ignore[attr-defined]
            cycles = max(1, int(worked / 0.002))
            stopped = worked * (1 - 1 / factor)
            state = "" if gone else "S"
            self._tell(process, Throttled, process.role, fault, factor, elapsed, stopped, cycles, cycles, state)
        elif name == "cpu_hog":
            self._tell(process, Hogged, process.role, fault, 2, elapsed, 2 * worked, 0.1, 0)
        elif name == "disk_full":
            self._full.discard(fault)
            self._tell(process, Filled, process.role, fault, 0, 0 if self._full else 10**7)
        elif name == "memory_limit" and not gone:
            limit = part.limit  # type: ignore[attr-defined]
            self._tell(process, Limited, process.role, fault, process.pid, True, limit, None, 10**8)

    def _on_impair(self, impair: instructions.Impair) -> None:
        host = impair.subject
        if self.wrong is not None and self.wrong.way == "wrong role" and impair.fault == self.wrong.fault:
            host = next(role.host for role in self.arm.roles if role.host != impair.subject)
        self.truths[impair.fault].began.append((self.now, host))
        self.truths[impair.fault].in_force.add(host)
        lane = {"since": self.now, "packets": 0, "impairment": impair.impairment, "host": host, "acts": True}
        self._links[impair.fault, impair.subject, impair.direction] = lane
        if impair.impairment.blocked:
            self._knock()
        if self.wrong is not None and self.wrong.way == "stops early" and impair.fault == self.wrong.fault:
            self._at(self.now + 0.001, lambda: lane.update(acts=False))

    def _on_restore(self, restore: instructions.Restore) -> None:
        for key in [key for key in self._links if key[0] == restore.fault]:
            lane = self._links.pop(key)
            packets, touched = lane["packets"], lane.get("touched", 0)
            delay = lane.get("delay", 0.0) / packets if packets else None
            fields = (key[0], key[2], self.now - lane["since"], packets, touched, 0, delay, None)
            self._tell(None, events.Impaired, key[1], *fields)
            self.truths[restore.fault].in_force.discard(lane["host"])
        self._complete_all()

    def _knock(self) -> None:
        """TCP tries again while nothing passes."""
        blocked = [lane for lane in self._links.values() if lane["impairment"].blocked]
        for lane in blocked:
            self._pass(lane, 1)
        if blocked:
            self._at(self.now + 0.2, self._knock)

    def _pass(self, lane: dict[str, Any], packets: int) -> None:
        """Packets on the link of the host that the report will name."""
        lane["packets"] += packets
        impairment = lane["impairment"]
        fault = next(key[0] for key, value in self._links.items() if value is lane)
        self.truths[fault].acted |= lane["acts"] and lane["host"] == self._named(lane)
        if not lane["acts"] or lane["host"] != self._named(lane):
            return
        if impairment.blocked:
            lane["touched"] = lane.get("touched", 0) + packets
        lane["delay"] = lane.get("delay", 0.0) + packets * impairment.latency

    def _named(self, lane: dict[str, Any]) -> str:
        return next(key[1] for key, value in self._links.items() if value is lane)

    def _on_survey(self, _: Instruction) -> None:
        for role in self.arm.roles:
            self._tell(None, events.Traffic, role.host, 0, 0, 0, 0, 0, 0)

    def _on_snapshot(self, snapshot: Instruction) -> None:
        process = self.processes[snapshot.subject]
        if process.alive:
            self._at(
                self.now + self.random.uniform(0.1, 2.0),
                lambda: self._tell(process, events.Stack, process.role, "stack", []) if process.alive else None,
            )

    def _on_prepare(self, _: Instruction) -> None:
        """Nothing to prepare here."""

    def _on_shutdown(self, _: Instruction) -> None:
        self._shutdown = True
        for process in list(self.processes.values()):
            if process.alive:
                process.stopped = False
                self._at(self.now + 0.01, lambda process=process: self._leave(process, None, 15))  # type: ignore[misc]
        self._at(self.now + 0.1, lambda: self._tell(None, events.Closed, ""))

    # Processes

    def _leave(self, process: Process, status: int | None, signal: int | None) -> None:
        if not process.alive:
            return
        if process.stopped and signal is None:
            self._at(self.now + 0.05, lambda: self._leave(process, status, signal))
            return
        process.alive, process.left = False, self.now
        if status not in (0, None) or (signal is not None and not self._shutdown):
            self.errors.add(process.role)
        for fault, (_, held) in list(self._throttles.items()):
            name = next(injection.part.name for injection in self.arm.schedule if injection.fault == fault)
            if held is process and name == "slow":
                self._undo(fault)
        for truth in self.truths.values():
            truth.in_force.discard(process.role)
        self._tell(process, events.Exited, process.role, status, signal)
        self._complete_all()
        self._services_leave()

    def _services_leave(self) -> None:
        """ps-lite's servers and scheduler end by themselves when every worker has finished and left."""
        workers = [self.processes.get(name) for name in self.arm.workers]
        if any(worker is None or worker.alive or not worker.finished for worker in workers):
            return
        for role in self.arm.roles:
            process = self.processes.get(role.name)
            if process is not None and process.alive and not role.service and role.name not in self.arm.workers:
                self._at(self.now + 0.05, lambda process=process: self._leave(process, 0, None))  # type: ignore[misc]

    def _die_by_itself(self) -> None:
        assert self.wrong is not None
        process = self.processes.get(self.wrong.role)
        if process is not None and process.alive and not self._shutdown:
            self._leave(process, 1, None)

    def _imports(self, process: Process) -> None:
        if not process.alive:
            return
        if process.stopped:
            self._at(self.now + 0.1, lambda: self._imports(process))
            return
        self._tell(process, events.Announced, process.role, process.pid)
        if self.wrong is not None and self.wrong.way == "never imports" and self.wrong.role in ("", process.role):
            self._leave(process, 1, None)
            return
        process.imported = True
        if process.role not in self.arm.workers:
            return
        self._tell(process, events.Imported, process.role, 0.5, "3.11", "1.9.1", "1.23", [])
        if all(self._there(role.name) for role in self.arm.roles):
            self._all_ready()

    def _there(self, role: str) -> bool:
        process = self.processes.get(role)
        if process is None or not process.alive:
            return False
        return (process.imported or role not in self.arm.workers) and process.env == self._right_env(role)

    def _right_env(self, role: str) -> dict[str, str]:
        """With which it starts without faults: a job whose processes are told other things waits for ever."""
        wrong = [injection for injection in self.arm.schedule if injection.part.name == "wrong_start"]
        started = next(other.env for other in self.arm.roles if other.name == role)
        return {} if any(injection.subject == role for injection in wrong) else started

    def _all_ready(self) -> None:
        """Workers of a job come up together, from the newest checkpoint; one that comes back alone never does."""
        fresh = [self.processes[name] for name in self.arm.workers]
        if any(process.ready for process in fresh):
            return
        for process in fresh:
            process.ready = True
            newest = max(step for step, good in self.checkpoints.items() if good)
            rejected = [f"{step}: damaged" for step, good in self.checkpoints.items() if not good and step > newest]
            process.step = process.computed = process.saved = newest
            self._tell(process, events.Ready, process.role, 10**7, 0, "")
            if newest or rejected:
                self._tell(process, events.Resumed, process.role, newest, rejected)
            self._tell(process, events.Waiting, process.role, process.step)

    def _obey(self, process: Process) -> None:
        """Take commands up to the next credit, then train."""
        while process.commands:
            word, number = process.commands.pop(0)
            if word == "credit":
                process.until = None if number == -1 else number
                self._train(process)
                return
            if word == "begin":
                self._begin_in(process, number)
            elif number in process.tampering:
                del process.tampering[number]
                self.truths[number].in_force.discard(process.role)

    def _begin_in(self, process: Process, number: int) -> None:
        process.tampering[number] = process.step
        self.truths[number].began.append((self.now, process.role))
        self.truths[number].in_force.add(process.role)

    def _train(self, process: Process) -> None:
        """Set out for the next segment of steps, or finish."""
        job = self.arm.workload
        if not self._save(process):
            return
        if process.step >= job.steps:
            self._finish(process)
            return
        ends = [(process.step // job.window + 1) * job.window, job.steps]
        ends += [job.warmup] if process.step < job.warmup else []
        ends += [] if process.until is None else [process.until]
        if job.checkpoint is not None:
            ends.append((process.step // job.checkpoint.every + 1) * job.checkpoint.every)
        process.segment = min(ends)
        steps = process.segment - process.step
        seconds = steps * STEP_SECONDS * self._factor(process) * self.random.uniform(0.9, 1.1)
        began = self.now
        self._at(self.now + seconds, lambda: self._computed(process, began))

    def _factor(self, process: Process) -> float:
        own = [
            injection.part.factor  # type: ignore[attr-defined]
            for injection in self.arm.schedule
            if injection.part.name == "slow"
            and injection.fault in self._throttles
            and self._throttles[injection.fault][0] >= 0
            and self._throttles[injection.fault][1] is process
        ]
        return max(own, default=1.0)

    def _computed(self, process: Process, began: float) -> None:
        if process.alive and process.segment is not None:
            process.computed = process.segment
            process.delivered = max(process.delivered, began)
            self._complete_all()

    def _complete_all(self) -> None:
        """Let every worker go on whose segment can be shared."""
        for name in self.arm.workers:
            process = self.processes.get(name)
            if process is not None and self._can_complete(process):
                self._complete(process)

    def _can_complete(self, process: Process) -> bool:
        if process.segment is None or process.computed < process.segment or not process.alive or process.stopped:
            return False
        if self.wrong is not None and self.wrong.at <= self.now < self._thaws_at:
            return False
        services = [self.processes.get(role.name) for role in self.arm.roles if role.name not in self.arm.workers]
        if any(service is None or not service.alive or service.stopped for service in services):
            return False
        if any(lane["acts"] and lane["impairment"].blocked for lane in self._links.values()):
            return False
        if not self.arm.synchronous:
            return True
        peers = [self.processes.get(name) for name in self.arm.workers]
        return all(peer is not None and peer.alive and peer.computed >= process.segment for peer in peers)

    def _complete(self, process: Process) -> None:
        assert process.segment is not None
        first, end = process.step, process.segment
        process.step, process.segment = end, None
        for number in process.tampering:
            injection = next(injection for injection in self.arm.schedule if injection.fault == number)
            if injection.part.name == "exit":
                self.truths[number].acted = True
                self._tell(process, events.Failed, process.role, "AskedError: asked", False)
                self._leave(process, 1, None)
                return
            if injection.part.name == "checkpoint_kill":
                continue
            for step in range(first, end):
                self.truths[number].steps.append(step)
                self.truths[number].acted = True
                fields = (number, step, "gradient", "a" * 64, "b" * 64, "so")
                self._tell(process, events.Committed, process.role, *fields)
        for lane in list(self._links.values()):
            self._pass(lane, PACKETS)
        seconds = (end - first) * STEP_SECONDS
        self._tell(process, events.Window, process.role, first, end - first, seconds)
        self._tell(process, events.Loss, process.role, first, [0.5] * (end - first))
        if process.until == end:
            self._tell(process, events.Waiting, process.role, end)
            self._obey(process)
        else:
            self._train(process)

    def _save(self, process: Process) -> bool:
        """Write a checkpoint where one is due; False where a fault lets the process stand still amid it."""
        checkpoint, step = self.arm.workload.checkpoint, process.step
        if checkpoint is None or process.role != "worker/0" or step % checkpoint.every or step == process.saved:
            return True
        for number in process.tampering:
            if self._part(number).name == "checkpoint_kill":
                self._tell(process, Checkpointing, process.role, number, step)
                return False
        process.saved = step
        failure = "no space left on device" if self._full else ""
        if not failure:
            self.checkpoints[step] = True
        self._tell(process, events.Checkpointed, process.role, step, "" if failure else "c" * 64, 0.001, "", failure)
        return True

    def _finish(self, process: Process) -> None:
        """Workers of a synchronous job leave together, others by themselves; services stay."""
        process.finished = True
        self.trained.add(process.role)
        self._tell(process, events.Done, process.role, process.step)
        workers = [self.processes[name] for name in self.arm.workers if name in self.processes]
        leaving = [process] if not self.arm.synchronous else workers
        if not self.arm.synchronous or all(worker.finished for worker in workers):
            for worker in leaving:
                self._at(self.now + 0.05, lambda worker=worker: self._leave(worker, 0, None))  # type: ignore[misc]


def _is_never(part: Fault) -> bool:
    """Whether it acts by no start at all."""
    return isinstance(part, LateStart) and part.by is None
