"""What the agent does to processes for faults, and how it is undone; each with what the kernel shows."""

from __future__ import annotations

import signal
import sys
import time
import traceback
from collections.abc import Callable, Mapping

from harness.agent import faults, proc
from harness.agent.children import Child
from harness.agent.faults import Commitment, Fields
from harness.base.errors import AgentError
from harness.vocabulary.instructions import Act, Prepare, Signal, Undo

_AFTER = {
    "STOP": proc.STOPPED | proc.GONE,
    "CONT": proc.RUNNING,
    "KILL": proc.GONE,
    "TERM": proc.RUNNING | proc.STOPPED,
}
"""States in which a process may settle once it has a signal."""

Report = Callable[[str, str, Fields], None]
"""Takes an event's kind, subject and fields."""


class FaultInjector:
    """Acts on the agent's children, by role, and reports."""

    def __init__(self, children: Mapping[str, Child], report: Report) -> None:
        self._children, self._report = children, report
        self._in_force: dict[int, Commitment] = {}

    @property
    def due(self) -> float:
        """When `turn` has something to do."""
        return min((commitment.due for commitment in self._in_force.values()), default=float("inf"))

    def turn(self) -> None:
        """Do what is due, as to stop and continue what is throttled."""
        for commitment in self._in_force.values():
            if commitment.due <= time.monotonic():
                commitment.turn()

    def prepare(self, instruction: Prepare) -> None:
        """Make what a fault needs before any process starts; a failure is one of the cluster."""
        try:
            faults.module(instruction.name).prepare(instruction.parameters)
        except OSError as error:
            self._report("connect_failed", "", {"reason": f"{error.filename}: {error.strerror}"})

    def act(self, instruction: Act) -> None:
        """Begin a fault. Where that is not possible there is no report, and so no receipt."""
        child = self._children[instruction.subject]
        self._end(instruction.fault)  # a process that took another's place begins anew
        if child.exited:
            return
        commit = faults.find(instruction.name)
        if commit.exclusive:
            self._end_others(commit, child.role)
        commitment = commit(child, instruction.parameters)
        if self._tell(instruction.fault, commitment, commitment.begin):
            self._in_force[instruction.fault] = commitment

    def undo(self, instruction: Undo) -> None:
        """End a fault and report what it did."""
        self._end(instruction.fault)

    def release(self, role: str) -> None:
        """End what cannot outlast the process, which is gone; the rest ends when it is told to."""
        for fault, commitment in list(self._in_force.items()):
            if commitment.child.role == role and commitment.ends_with_process:
                self._end(fault)

    def end(self) -> None:
        """Undo every fault that is in force, and report each."""
        for fault in list(self._in_force):
            self._end(fault)

    def signal(self, instruction: Signal) -> None:
        """Send a signal. A process that is stopped is not throttled meanwhile, since that would continue it."""
        child = self._children.get(instruction.subject)
        before = after = ""
        ran = 0.0
        if child is not None and not child.exited:
            if instruction.signal == "STOP":
                self.hold(child.role)
            before, ran = proc.state(child.pid), proc.processor_seconds(child.pid)[0]
            child.signal(signal.Signals[f"SIG{instruction.signal}"])
            after = proc.settled(child.pid, _AFTER[instruction.signal])
            if instruction.signal == "STOP":
                ran = proc.processor_seconds(child.pid)[0]
            if instruction.signal == "CONT":
                self.let_go(child.role)
        fields = {
            "fault": instruction.fault,
            "signal": instruction.signal,
            "before": before,
            "after": after,
            "ran": round(ran, 6),
        }
        self._report("signalled", instruction.subject, fields)

    def hold(self, role: str) -> None:
        """Neither stop nor continue it for a while, since somebody else does, or looks at it."""
        for commitment in self._on(role):
            commitment.suspend()

    def let_go(self, role: str) -> None:
        """Go on with what `hold` has left alone."""
        for commitment in self._on(role):
            commitment.resume()

    def _on(self, role: str) -> list[Commitment]:
        return [commitment for commitment in self._in_force.values() if commitment.child.role == role]

    def _end_others(self, kind: type[Commitment], role: str) -> None:
        for fault, commitment in list(self._in_force.items()):
            if isinstance(commitment, kind) and commitment.child.role == role:
                self._end(fault)

    def _end(self, fault: int) -> None:
        commitment = self._in_force.pop(fault, None)
        if commitment is None or self._tell(fault, commitment, commitment.end):
            return
        if proc.state(commitment.child.pid) not in proc.GONE:  # who goes on with it in force would prove a lie
            raise AgentError(f"fault {fault} on {commitment.child.role} cannot be ended; the lines above say why")

    def _tell(self, fault: int, commitment: Commitment, act: Callable[[], Fields | None]) -> bool:
        """Act, and report what there is to report; False where that failed, as when the process is gone by then."""
        try:
            fields = act()
        except (OSError, StopIteration, ValueError, OverflowError):
            sys.stderr.write(f"fault {fault} on {commitment.child.role}:\n{traceback.format_exc()}")
            return False
        if fields is not None:
            self._report(commitment.reports, commitment.child.role, {"fault": fault, **fields})
        return True
