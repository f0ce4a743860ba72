"""One arm of a run: its agent and processes, and what they say."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from dataclasses import replace

from harness.base.errors import AgentError
from harness.execution.backends.base import Agent
from harness.execution.conductor import GRACE_SECONDS, Conductor
from harness.execution.fault_scheduler import Action
from harness.execution.interruption import Interruption
from harness.execution.request import Request
from harness.execution.spawns import spawns
from harness.gpu import installed, nccl_log, visible
from harness.gpu.nccl_log import NcclLog
from harness.planning.plan import Arm
from harness.storage import run_folder
from harness.storage.history import HistoryWriter
from harness.storage.run_folder import RunFolder
from harness.vocabulary import events
from harness.vocabulary.events import Ended, Event
from harness.vocabulary.instructions import Instruction, WatchGpus

POLL_SECONDS = 0.2

GPU_SECONDS = 0.5
"""How often GPUs are sampled."""

DEAF_SECONDS = 1.0
"""A longer turn means that we were stopped or held up, as by Ctrl-Z or a slow disk."""

LOG_TAIL_LINES = 10

LOG_TAIL_BYTES = 4096

NCCL_BYTES = 1 << 20
"""Of a log in which NCCL may have spoken."""

Observer = Callable[[Event], None]


class ArmRun:
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
        self._conductor = Conductor(arm, *timeouts, spawns(agent, folder, asked, arm), time.monotonic(), most_steps)
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
            raise AgentError(f"the agent died; see {self._agent.path(run_folder.log_name(self._arm.name, ''))}")

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
        logs = {
            name: self._agent.get(run_folder.log_name(self._arm.name, name), NCCL_BYTES) for name in self._arm.workers
        }
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
        text = self._agent.get(run_folder.log_name(self._arm.name, role), LOG_TAIL_BYTES).decode(errors="replace")
        return "\n".join(text.splitlines()[-LOG_TAIL_LINES:])
