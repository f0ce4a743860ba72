"""Plan to run.

`execute` goes through these steps, each within the one before:

1. create the run folder, with room kept for the last words on a full disk;
2. store plan, scenario, worker archive and machine facts;
3. for each arm, or arms that live at once: open an agent, start the roles, let the conductor decide until it has ended;
4. judge the history and store the verdict;
5. write down how the run ended: finished, interrupted or aborted, whatever happened.
"""

from __future__ import annotations

import itertools
import os
import random
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from harness.base.errors import AgentError, DamagedRunError, InputError
from harness.execution import facts, machine, scratch, worker_archive
from harness.execution.backends.base import Agent, Backend
from harness.execution.backends.local import LocalBackend
from harness.execution.conductor import GRACE_SECONDS, Conductor
from harness.execution.disturbance import Disturbance
from harness.execution.fault_scheduler import Action
from harness.execution.interruption import Interruption
from harness.execution.reached import Reached
from harness.execution.request import Request
from harness.gpu import installed, nccl_log, visible
from harness.gpu.nccl_log import NcclLog
from harness.judging.judge import judge
from harness.judging.verdict import Verdict
from harness.planning.plan import Arm, Plan
from harness.storage import calibration, history, run_folder
from harness.storage.history import HistoryWriter
from harness.storage.run_folder import RunFolder
from harness.targets import environment, other_nccl
from harness.vocabulary import events, turns
from harness.vocabulary.events import Ended, Event, Imported
from harness.vocabulary.filled_in import with_ports
from harness.vocabulary.instructions import Instruction, Spawn, WatchGpus

Observer = Callable[[Event], None]
POLL_SECONDS = 0.2
GPU_SECONDS = 0.5
"""How often GPUs are sampled."""

DEAF_SECONDS = 1.0
"""A longer turn means that we were stopped or held up, as by Ctrl-Z or a slow disk."""

COMPILED = "HARNESS_COMPILED"
"""The folder of what MXNet's import compiles (`harness/worker/compiled.py`)."""

LOG_TAIL_LINES = 10
LOG_TAIL_BYTES = 4096
NCCL_BYTES = 1 << 20
"""Of a log in which NCCL may have spoken."""

INHERITED = ("PATH", "HOME", "USER", "LOGNAME", "LANG", "TZ", "TMPDIR", "LD_LIBRARY_PATH", "CUDA_VISIBLE_DEVICES")
"""Variables of the user's shell that reach the measured processes; everything else comes from the plan."""


def ignore(event: Event) -> None:
    """An observer that does not look."""


@dataclass(frozen=True)
class Run:
    """A run that is over: ``status`` is finished or interrupted; ``verdict`` is None when it was interrupted."""

    folder: RunFolder
    status: str
    verdict: Verdict | None


@dataclass
class _Ending:
    """How a run is about to be written down."""

    status: str = "finished"
    reason: str = ""


def stored_worker(folder: RunFolder, plan: Plan) -> bytes:
    """The program that a run measured; DamagedRunError when it is not the one that its plan names."""
    worker = folder.read_bytes("worker.pyz")
    if worker_archive.digest(worker) != plan.worker:
        raise DamagedRunError(f"{folder.path / 'worker.pyz'} is not the program that the plan names")
    return worker


def judged(folder: RunFolder) -> Verdict:
    """The verdict on a run, from its plan and history; DamagedRunError when they cannot be read."""
    path = folder.path / "history.jsonl"
    try:
        known = folder.read_json("facts.json") if folder.has("facts.json") else {}
        return judge(folder.plan(), history.read(path), folder.id, known)
    except (LookupError, TypeError, ValueError, ArithmeticError, AttributeError) as error:
        raise DamagedRunError(f"{path} does not fit its plan: {type(error).__name__}: {error}") from error


def execute(
    asked: Request,
    observe: Observer = ignore,
    interruption: Interruption | None = None,
    backend_of: Callable[[Path], Backend] = LocalBackend,
) -> Run:
    """Run all arms and judge them; ``backend_of`` makes the way to agents from the run's folder.

    StorageError when results cannot be written, AgentError when the agent fails. Signal handlers stay as they are: who
    wants Ctrl-C to end a run in order passes an `Interruption` that is watched; else KeyboardInterrupt goes through.
    """
    interruption = interruption or Interruption()
    worker_archive.require_unchanged(asked.worker, asked.plan.own_files)
    if (reason := machine.unfit(asked.plan, asked.interpreters)) is not None:
        raise InputError(reason)
    folder = run_folder.create(asked.results, asked.plan.scenario, asked.plan.hash)
    backend = backend_of(folder.path)
    verdict = None
    with _status(folder, asked, interruption) as ending:
        networked = any(arm.network is not None for arm in asked.plan.arms)
        known = facts.collect(asked.interpreters, backend.isolated, backend.wire if networked else "not used")
        _store_inputs(folder, asked, known)
        disturbance = Disturbance()

        def seen(event: Event) -> None:
            disturbance.look()
            observe(event)

        told = _run_arms(folder, asked, backend, seen, interruption)
        if told.imported:
            known |= facts.of_targets(told.imported, len(asked.plan.arms))
            if (calibrated := calibration.find(asked.results, known, asked.plan.job(known))) is not None:
                known["calibration"] = calibrated
            found = {**facts.of_nccl(told.nccl), "disturbance": disturbance.facts()}
            folder.write_json("facts.json", {**known, **found})
        if interruption.signal is None:
            verdict = judged(folder)
            folder.write_json("verdict.json", verdict.as_json())
    return Run(folder, ending.status, verdict)


@contextmanager
def _status(folder: RunFolder, asked: Request, interruption: Interruption) -> Iterator[_Ending]:
    """Keep ``status.json`` true on every path out."""
    started = {"pid": os.getpid(), "origin": dict(asked.origin), "plan": asked.plan.hash, "started": time.time()}
    ending = _Ending()
    try:
        folder.write_json("status.json", {**started, "status": "running"})
        folder.reserve()
        yield ending
        if interruption.signal is not None:
            ending.status, ending.reason = "interrupted", interruption.name
    except KeyboardInterrupt:
        ending.status, ending.reason = "interrupted", "KeyboardInterrupt"
        raise
    except BaseException as error:
        ending.status, ending.reason = "aborted", str(error) or type(error).__name__
        raise
    finally:
        folder.release_reserve()
        folder.write_json("status.json", {**started, **vars(ending), "ended": time.time()})


def _store_inputs(folder: RunFolder, asked: Request, known: Mapping[str, Any]) -> None:
    folder.write("scenario.yaml", asked.scenario_text)
    folder.write("plan.json", asked.plan.text())
    folder.write("worker.pyz", asked.worker)
    folder.write_json("facts.json", known)


@dataclass(frozen=True)
class _Told:
    """What was said of the software of each arm: by its first worker, and by NCCL in each of its processes."""

    imported: dict[str, Imported] = field(default_factory=dict)
    nccl: dict[str, Mapping[str, NcclLog]] = field(default_factory=dict)


def _run_arms(
    folder: RunFolder, asked: Request, backend: Backend, observe: Observer, interruption: Interruption
) -> _Told:
    told, reached = _Told(), Reached()

    def note(event: Event) -> None:
        if isinstance(event, Imported) and event.subject <= told.imported.get(event.arm, event).subject:
            told.imported[event.arm] = event
        reached.add(event)
        observe(event)

    past = HistoryWriter(folder.path / "history.jsonl")
    try:
        for arms in asked.plan.companies:
            if interruption.signal is None:
                with ExitStack() as agents:
                    runs = [
                        _ArmRun(
                            *(_agent(folder, backend, arm, agents), folder, asked, arm, past, note, interruption),
                            reached.limit(arm),
                        )
                        for arm in arms
                    ]
                    _perform(runs, _rounds(runs, arms[0]))
                    told.nccl.update((run.name, run.nccl) for run in runs if run.nccl)
    finally:
        past.close()
    return told


def _agent(folder: RunFolder, backend: Backend, arm: Arm, agents: ExitStack) -> Agent:
    folder.make_logs(arm.name)
    script = arm.workload.script
    if script is not None and script.scratch:
        if not backend.isolated:
            raise AgentError("scratch needs namespaces, which cannot be made here; see harness doctor")
        agents.callback(scratch.collect, folder, arm)  # after the agent, and with it all that writes, is gone
    return agents.enter_context(backend.open(arm.name, arm.network is not None))


def _rounds(runs: Sequence[_ArmRun], arm: Arm) -> Iterator[list[_ArmRun]]:
    """Who goes first, and next, in every round: drawn from the seed, then as often and as late as each other.

    Of more than two, drawn anew for every four rounds.
    """
    order, warmup = random.Random(arm.workload.seed), arm.workload.warmup // (arm.turn or 1)
    drawn = order.sample(runs, len(runs))
    for number in itertools.count(-warmup):
        if len(runs) > 2 and number % 4 == 0:
            drawn = order.sample(runs, len(runs))
        yield drawn[::-1] if turns.is_reversed(number) else drawn[:]


def _perform(runs: Sequence[_ArmRun], rounds: Iterator[list[_ArmRun]]) -> None:
    """Run arms to their ends: one alone, or several that live at once and take turns, each once in every round.

    Who has no turn waits for it and tells nothing, so that it is enough to listen to the one that has.
    """
    for run in runs:
        run.begin()
    waiting: list[_ArmRun] = []
    active = runs[0]
    while any(not run.over for run in runs):
        for run in runs:
            if not run.over:
                run.listen(POLL_SECONDS if run is active else 0.0)
        if all(run.rests for run in runs) and any(not run.over for run in runs):
            waiting = [run for run in waiting if not run.over] or next(rounds)
            active = waiting.pop(0)
            active.take_turn()
        elif active.over:
            active = next((run for run in runs if not run.over), active)


class _ArmRun:
    """One arm: carries actions from the conductor to the agent and the history, and events back."""

    def __init__(
        self,
        agent: Agent,
        folder: RunFolder,
        asked: Request,
        arm: Arm,
        past: HistoryWriter,
        observe: Observer,
        interruption: Interruption,
        most_steps: int | None,
    ) -> None:
        self._agent, self._arm, self._history = agent, arm, past
        self._observe, self._interruption = observe, interruption
        timeouts = asked.plan.startup_timeout, asked.plan.stall_timeout
        self._conductor = Conductor(arm, *timeouts, _spawns(agent, folder, asked, arm), time.monotonic(), most_steps)
        self._heard = time.monotonic()
        self.name = arm.name
        self.nccl: Mapping[str, NcclLog] = {}
        """What NCCL said, by process, once the arm has ended."""

    @property
    def over(self) -> bool:
        """Whether nothing is left of it, or has been given time enough to leave."""
        return self._conductor.over or self._late()

    @property
    def rests(self) -> bool:
        """Whether it waits for its turn, or is over."""
        return self.over or self._conductor.rests

    def begin(self) -> None:
        """Start its processes."""
        if self._arm.gpus and (watched := self._watched()):
            self._agent.send(WatchGpus("", tuple(watched), GPU_SECONDS))
        self._do(self._conductor.begin())
        self._heard = time.monotonic()

    def _watched(self) -> list[int] | None:
        """The GPUs of its contexts, as NVML numbers them; None where nobody can say which they are."""
        return visible.physical(self._arm.gpus, {**os.environ, **self._arm.env}, installed.driver().gpus)

    def take_turn(self) -> None:
        """Let it go on, if it waits for that."""
        if not self.over:
            self._do(self._conductor.take_turn(time.monotonic()))

    def listen(self, patience: float) -> None:
        """Wait for events as long as that, or until something is due, and do what follows; AgentError if it died."""
        lines = self._agent.read(min(patience, self._until_due()))
        now = time.monotonic()
        if now - self._heard > DEAF_SECONDS:
            self._conductor.excuse(now - self._heard)
        self._heard = now
        self._take(lines)
        self._do(self._conductor.tick(now))
        if self._interruption.signal is not None:
            self._do(self._conductor.stop(time.monotonic(), "interrupted", self._interruption.name))
        if self._agent.ended:
            raise AgentError(f"the agent died; see {self._agent.path(_log(self._arm, ''))}")

    def _until_due(self) -> float:
        deadline = self._conductor.deadline()
        return POLL_SECONDS if deadline is None else max(0.0, deadline - time.monotonic())

    def _late(self) -> bool:
        """Whether processes outlast the grace and the KILL after it: they are left to the end of the namespace."""
        ended = self._conductor.ended
        return ended is not None and time.monotonic() > ended.t + GRACE_SECONDS + 2

    def _take(self, lines: bytes) -> None:
        if not lines:
            return
        offset = self._agent.clock_offset
        if not offset:
            self._history.append(lines)
        for line in lines.splitlines():
            event = events.decode(line)
            if offset:
                event = replace(event, t=event.t + offset)
                self._history.append(events.encode(event))
            self._observe(event)
            self._do(self._conductor.on(event))

    def _do(self, actions: list[Action]) -> None:
        for action in actions:
            if isinstance(action, Instruction):
                self._agent.send(action)
                continue
            event = self._with_log(self._with_nccl(action)) if isinstance(action, Ended) else action
            self._history.append(events.encode(event))
            self._observe(event)

    def _with_nccl(self, ended: Ended) -> Ended:
        """Note what NCCL said, and add what it warned of where the job did not train to its end."""
        if nccl_log.DEBUG not in self._arm.env:
            return ended
        logs = {name: self._agent.get(_log(self._arm, name), NCCL_BYTES) for name in self._arm.workers}
        read = {name: nccl_log.read(text.decode(errors="replace")) for name, text in logs.items()}
        self.nccl = {name: found for name, found in read.items() if not found.says_nothing}
        warned = "".join(f"; NCCL in {name} warned: {said}" for name, said in nccl_log.first_warnings(self.nccl))
        went_well = ended.outcome in ("completed", "stopped", "interrupted")
        return ended if went_well else replace(ended, reason=ended.reason + warned)

    def _with_log(self, ended: Ended) -> Ended:
        """Add what the process that is to blame logged last."""
        if ended.outcome not in ("crashed", "refused", "aborted") or not ended.subject:
            return ended
        roles = [role.name for role in self._arm.roles if role.name != ended.subject and ended.outcome != "crashed"]
        tails = {role: self._tail(role) for role in (ended.subject, *roles)}
        words = [f"{role}: {tail}" if role != ended.subject else tail for role, tail in tails.items() if tail]
        return replace(ended, log="\n".join(words))

    def _tail(self, role: str) -> str:
        text = self._agent.get(_log(self._arm, role), LOG_TAIL_BYTES).decode(errors="replace")
        return "\n".join(text.splitlines()[-LOG_TAIL_LINES:])


def _log(arm: Arm, role: str) -> str:
    return run_folder.log_name(arm.name, role)


def _spawns(agent: Agent, folder: RunFolder, asked: Request, arm: Arm) -> dict[str, Spawn]:
    """What starts each role: the worker archive, the plan, and an environment that the plan decides."""
    port, *ports = map(str, agent.free_ports(1 + len(arm.roles)))
    worker, plan = agent.put("worker.pyz", asked.worker), agent.put("plan.json", asked.plan.text().encode())
    inherited = {key: os.environ[key] for key in INHERITED if key in os.environ}
    shared = _with_libraries(arm.env, asked.interpreters[arm.name].env)
    python = asked.interpreters[arm.name].python
    kept = {COMPILED: str(environment.compiled_folder(python))} if arm.quick_start else {}
    spawns, checkpoint = {}, arm.workload.checkpoint
    for role, own_port in zip(arm.roles, ports, strict=True):
        own = other_nccl.found(with_ports(role.env, port, own_port), shared)
        spawns[role.name] = Spawn(
            role.name,
            (str(python), worker, plan, arm.name, role.name),
            {**inherited, **shared, **own, **kept},
            agent.path(f"logs/{arm.name}"),
            agent.path(_log(arm, role.name)),
            role.host,
            checkpoints=(checkpoint.files or "") if checkpoint is not None else "",
            share=arm.shares.get(role.name),
            scratch=scratch.of(folder, arm, role),
        )
    return spawns


def _with_libraries(env: Mapping[str, str], needed: Mapping[str, str]) -> dict[str, str]:
    """A scenario's variables with those that its interpreter needs; of folders in both the scenario's are first."""
    both = {name: f"{env[name]}:{value}" for name, value in needed.items() if env.get(name)}
    return {**needed, **env, **both}
