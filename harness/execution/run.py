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
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from harness.base.errors import AgentError, DamagedRunError, InputError
from harness.execution import facts, machine, scratch, worker_archive
from harness.execution.arm_run import POLL_SECONDS, ArmRun, Observer
from harness.execution.backends.base import Agent, Backend
from harness.execution.backends.local import LocalBackend
from harness.execution.disturbance import Disturbance
from harness.execution.interruption import Interruption
from harness.execution.reached import Reached
from harness.execution.request import Request
from harness.gpu.nccl_log import NcclLog
from harness.judging.judge import judge
from harness.judging.verdict import Verdict
from harness.planning.plan import Arm, Plan
from harness.storage import calibration, history, run_folder
from harness.storage.history import HistoryWriter
from harness.storage.run_folder import RunFolder
from harness.vocabulary import turns
from harness.vocabulary.events import Event, Imported


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
                        ArmRun(
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


def _rounds(runs: Sequence[ArmRun], arm: Arm) -> Iterator[list[ArmRun]]:
    """Who goes first, and next, in every round: drawn from the seed, then as often and as late as each other.

    Of more than two, drawn anew for every four rounds.
    """
    order, warmup = random.Random(arm.workload.seed), arm.workload.warmup // (arm.turn or 1)
    drawn = order.sample(runs, len(runs))
    for number in itertools.count(-warmup):
        if len(runs) > 2 and number % 4 == 0:
            drawn = order.sample(runs, len(runs))
        yield drawn[::-1] if turns.is_reversed(number) else drawn[:]


def _perform(runs: Sequence[ArmRun], rounds: Iterator[list[ArmRun]]) -> None:
    """Run arms to their ends: one alone, or several that live at once and take turns, each once in every round.

    Who has no turn waits for it and tells nothing, so that it is enough to listen to the one that has.
    """
    for run in runs:
        run.begin()
    waiting: list[ArmRun] = []
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
