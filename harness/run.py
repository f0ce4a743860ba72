"""Plan to run.

`execute` goes through these steps, each within the one before:

1. create the run folder, with room kept for the last words on a full disk;
2. store plan, scenario, worker archive and machine facts;
3. for each arm: start an agent, start the roles, let the conductor decide until the arm has ended;
4. judge the history and store the verdict;
5. write down how the run ended: finished, interrupted or aborted, whatever happened.
"""

from __future__ import annotations

import os
import signal
import socket
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import FrameType
from typing import Any

from harness import archive, events, facts, history, store
from harness.agent.client import AgentProcess, isolation
from harness.conductor import GRACE_SECONDS, Conductor
from harness.errors import AgentError, DamagedRunError
from harness.events import Ended, Event, Ready
from harness.history import HistoryWriter
from harness.injector import Action
from harness.instructions import Instruction, Spawn
from harness.judge import Verdict, judge
from harness.plan import Arm, Plan
from harness.store import RunFolder
from harness.targets.interpreter import Interpreter

Observer = Callable[[Event], None]
POLL_SECONDS = 0.2
DEAF_SECONDS = 1.0
"""A longer turn means that we were stopped or held up, as by Ctrl-Z or a slow disk."""

LOG_TAIL_LINES = 10
LOG_TAIL_BYTES = 4096
INHERITED = ("PATH", "HOME", "USER", "LOGNAME", "LANG", "TZ", "TMPDIR", "LD_LIBRARY_PATH", "CUDA_VISIBLE_DEVICES")
"""Variables of the user's shell that reach the measured processes; everything else comes from the plan."""


@dataclass(frozen=True)
class Request:
    """What to run, with which program, and where it goes."""

    plan: Plan
    scenario_text: str
    worker: bytes
    interpreter: Interpreter
    results: Path
    origin: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Run:
    """A run that is over. ``verdict`` is None when it was interrupted."""

    folder: RunFolder
    status: str
    verdict: Verdict | None


_STOPPING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Interruption:
    """Whether the user or the system asked us to stop: Ctrl-C, SIGTERM, a closed terminal."""

    def __init__(self) -> None:
        self.signal: int | None = None

    def _note(self, number: int, _: FrameType | None) -> None:
        self.signal = number

    @contextmanager
    def watched(self) -> Iterator[Interruption]:
        """Take note of signals instead of dying of them, until the block ends."""
        old = {number: signal.signal(number, self._note) for number in _STOPPING}
        try:
            yield self
        finally:
            for number, handler in old.items():
                signal.signal(number, handler)


def request(plan: Plan, scenario_text: str, interpreter: Interpreter, results: Path, **origin: str) -> Request:
    """A request with this version's worker."""
    return Request(plan, scenario_text, archive.build(), interpreter, results, origin)


def stored_worker(folder: RunFolder, plan: Plan) -> bytes:
    """The program that a run measured; DamagedRunError when it is not the one that its plan names."""
    worker = folder.read_bytes("worker.pyz")
    if archive.digest(worker) != plan.worker:
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


def execute(asked: Request, observe: Observer) -> Run:
    """Run all arms and judge them; StorageError when results cannot be written, AgentError when the agent fails."""
    folder = store.create(asked.results, asked.plan.scenario, asked.plan.hash)
    with Interruption().watched() as interruption, _status(folder, asked, interruption) as ended:
        known = _store_inputs(folder, asked)
        if ready := _run_arms(folder, asked, observe, interruption):
            folder.write_json("facts.json", {**known, "target": facts.of_target(ready)})
        if interruption.signal is None:
            verdict = judged(folder)
            folder.write_json("verdict.json", verdict.as_json())
            ended["verdict"] = verdict
    return Run(folder, ended["status"], ended.get("verdict"))


@contextmanager
def _status(folder: RunFolder, asked: Request, interruption: Interruption) -> Iterator[dict[str, Any]]:
    """Keep ``status.json`` true on every path out."""
    status = {
        "pid": os.getpid(),
        "origin": dict(asked.origin),
        "plan": asked.plan.hash,
        "started": time.time(),
    }
    ended: dict[str, Any] = {"status": "finished", "reason": ""}
    try:
        folder.write_json("status.json", {**status, "status": "running"})
        folder.reserve()
        yield ended
        if interruption.signal is not None:
            ended |= {"status": "interrupted", "reason": signal.Signals(interruption.signal).name}
    except BaseException as error:
        ended |= {"status": "aborted", "reason": str(error) or type(error).__name__}
        raise
    finally:
        folder.release_reserve()
        words = {key: ended[key] for key in ("status", "reason")}
        folder.write_json("status.json", {**status, **words, "ended": time.time()})


def _store_inputs(folder: RunFolder, asked: Request) -> dict[str, Any]:
    """Returns the facts that are known before anything ran."""
    known = facts.collect(asked.interpreter, bool(isolation()))
    folder.write("scenario.yaml", asked.scenario_text)
    folder.write("plan.json", asked.plan.text())
    folder.write("worker.pyz", asked.worker)
    folder.write_json("facts.json", known)
    return known


def _run_arms(folder: RunFolder, asked: Request, observe: Observer, interruption: Interruption) -> Ready | None:
    """Returns what the first worker that came up said of its software."""
    ready: list[Ready] = []

    def note(event: Event) -> None:
        if isinstance(event, Ready) and not ready:
            ready.append(event)
        observe(event)

    past = HistoryWriter(folder.path / "history.jsonl")
    try:
        for arm in asked.plan.arms:
            if interruption.signal is None:
                _ArmRun(folder, asked, arm, past, note, interruption).perform()
    finally:
        past.close()
    return ready[0] if ready else None


class _ArmRun:
    """One arm: carries actions from the conductor to the agent and the history, and events back."""

    def __init__(
        self,
        folder: RunFolder,
        asked: Request,
        arm: Arm,
        past: HistoryWriter,
        observe: Observer,
        interruption: Interruption,
    ) -> None:
        self._folder, self._arm, self._history = folder, arm, past
        self._observe, self._interruption = observe, interruption
        folder.make_logs(arm.name)
        self._conductor = Conductor(
            arm,
            asked.plan.startup_timeout,
            asked.plan.stall_timeout,
            _spawns(folder, arm, asked.interpreter.python),
            time.monotonic(),
        )

    def perform(self) -> None:
        log, networked = self._folder.log(self._arm.name, ""), self._arm.network is not None
        with AgentProcess(self._arm.name, log, networked) as agent:
            self._do(agent, self._conductor.begin())
            heard = time.monotonic()
            while not self._conductor.over and not self._late():
                lines = agent.read(self._patience())
                now = time.monotonic()
                if now - heard > DEAF_SECONDS:
                    self._conductor.excuse(now - heard)
                heard = now
                self._take(agent, lines)
                self._do(agent, self._conductor.tick(now))
                if self._interruption.signal is not None:
                    name = signal.Signals(self._interruption.signal).name
                    self._do(agent, self._conductor.stop(time.monotonic(), "interrupted", name))
                if agent.ended:
                    raise AgentError(f"the agent died; see {self._folder.log(self._arm.name, '')}")

    def _patience(self) -> float:
        deadline = self._conductor.deadline()
        return POLL_SECONDS if deadline is None else min(POLL_SECONDS, max(0.0, deadline - time.monotonic()))

    def _late(self) -> bool:
        """Processes that outlast the grace and the KILL after it are left to the end of the namespace."""
        ended = self._conductor.ended
        return ended is not None and time.monotonic() > ended.t + GRACE_SECONDS + 2

    def _take(self, agent: AgentProcess, lines: bytes) -> None:
        if not lines:
            return
        self._history.append(lines)
        for line in lines.splitlines():
            event = events.decode(line)
            self._observe(event)
            self._do(agent, self._conductor.on(event))

    def _do(self, agent: AgentProcess, actions: list[Action]) -> None:
        for action in actions:
            if isinstance(action, Instruction):
                agent.send(action)
                continue
            event = self._with_log(action) if isinstance(action, Ended) else action
            self._history.append(events.encode(event))
            self._observe(event)

    def _with_log(self, ended: Ended) -> Ended:
        """What the process that is to blame said last."""
        if ended.outcome not in ("crashed", "refused") or not ended.role:
            return ended
        others = [role.name for role in self._arm.roles if role.name != ended.role and ended.outcome == "refused"]
        tails = {role: _tail(self._folder.log(self._arm.name, role)) for role in (ended.role, *others)}
        said = [f"{role}: {tail}" if role != ended.role else tail for role, tail in tails.items() if tail]
        return replace(ended, log="\n".join(said))


def _tail(log: Path) -> str:
    if not log.is_file():
        return ""
    with open(log, "rb") as file:
        file.seek(max(0, log.stat().st_size - LOG_TAIL_BYTES))
        return "\n".join(file.read().decode(errors="replace").splitlines()[-LOG_TAIL_LINES:])


def _spawns(folder: RunFolder, arm: Arm, python: Path) -> dict[str, Spawn]:
    """What starts each role: the worker archive, the plan, and an environment that the plan decides."""
    port = str(_free_port())
    path = folder.path.absolute()
    inherited = {key: os.environ[key] for key in INHERITED if key in os.environ}
    spawns = {}
    for role in arm.roles:
        own = {key: value.replace("{port}", port) for key, value in role.env.items()}
        spawns[role.name] = Spawn(
            role.name,
            (str(python), str(path / "worker.pyz"), str(path / "plan.json"), arm.name, role.name),
            {**inherited, **arm.env, **own},
            str(path / "logs" / arm.name),
            str(folder.log(arm.name, role.name).absolute()),
            role.host,
        )
    return spawns


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
