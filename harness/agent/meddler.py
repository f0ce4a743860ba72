"""What the agent does to processes for faults, and how it is undone; each with what the kernel shows."""

from __future__ import annotations

import resource
import signal
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from harness import events
from harness.agent import disk, proc
from harness.agent.children import Child
from harness.agent.hog import CpuHog
from harness.agent.throttle import ThrottledProcess
from harness.instructions import (
    Damage,
    Disk,
    Fill,
    Hog,
    Inspect,
    Instruction,
    Limit,
    Signal,
    Throttle,
    Unfill,
    Unhog,
    Unthrottle,
)

_AFTER = {
    "STOP": frozenset(("T", "", "Z", "X")),
    "CONT": frozenset("RSDZX") | {""},
    "KILL": frozenset(("", "Z", "X")),
    "TERM": frozenset("RSDTZX") | {""},
}


class Meddler:
    """Acts on the agent's children and reports by ``report(kind, role, **fields)``."""

    def __init__(self, children: Mapping[str, Child], report: Callable[..., None]) -> None:
        self._children, self._report = children, report
        self._throttles: dict[str, ThrottledProcess] = {}
        self._hogs: dict[int, tuple[str, CpuHog]] = {}
        self._lifted: dict[str, int | None] = {}

    @property
    def actions(self) -> dict[type[Instruction], Callable[[Any], None]]:
        """What is done on which instruction."""
        return {
            Signal: self.signal,
            Throttle: self.throttle,
            Unthrottle: self.unthrottle,
            Inspect: self.inspect,
            Limit: self.limit,
            Hog: self.hog,
            Unhog: self.unhog,
            Disk: self.disk,
            Fill: self.fill,
            Unfill: self.fill,
            Damage: self.damage,
        }

    @property
    def due(self) -> float:
        """When `turn` has something to do."""
        return min((throttle.due for throttle in self._throttles.values()), default=float("inf"))

    def end(self) -> None:
        """Let go of every process."""
        for role in list(self._throttles):
            self.release(role)
        while self._hogs:
            self._hogs.popitem()[1][1].end()

    def signal(self, instruction: Signal) -> None:
        """A process that is stopped is not throttled meanwhile, since that would continue it."""
        child = self._children.get(instruction.role)
        before = after = ""
        ran = 0.0
        if child is not None and not child.exited:
            throttle = self._throttles.get(instruction.role)
            if throttle is not None and instruction.signal == "STOP":
                throttle.suspend()
            before, ran = proc.state(child.pid), proc.processor_seconds(child.pid)[0]
            child.signal(signal.Signals[f"SIG{instruction.signal}"])
            after = proc.settled(child.pid, _AFTER[instruction.signal])
            if instruction.signal == "STOP":
                ran = proc.processor_seconds(child.pid)[0]
            if throttle is not None and instruction.signal == "CONT":
                throttle.resume()
        fields = {"signal": instruction.signal, "before": before, "after": after, "ran": round(ran, 6)}
        self._report(events.Signalled, instruction.role, **fields)

    def throttle(self, instruction: Throttle) -> None:
        """Begin a throttle, which rests while the process is stopped by something else."""
        child = self._children[instruction.role]
        self.release(instruction.role)  # of two at a time, the later one holds
        if not child.exited:
            throttle = ThrottledProcess(child.pid, instruction.factor)
            if proc.state(child.pid) == "T":
                throttle.suspend()
            self._throttles[instruction.role] = throttle

    def unthrottle(self, instruction: Unthrottle) -> None:
        """End a throttle."""
        self.release(instruction.role)

    def release(self, role: str) -> None:
        """End the throttle of a role, if it has one."""
        throttle = self._throttles.pop(role, None)
        if throttle is None:
            return
        elapsed = throttle.release()
        self._report(
            events.Throttled,
            role,
            factor=throttle.factor,
            elapsed=round(elapsed, 6),
            stopped=round(throttle.stopped, 6),
            cycles=throttle.cycles,
            witnessed=throttle.witnessed,
            state="" if throttle.suspended else proc.settled(throttle.pid, _AFTER["CONT"], within=0.05),
        )

    def turn(self) -> None:
        """Stop and continue what is throttled."""
        for throttle in self._throttles.values():
            if throttle.due <= time.monotonic():
                throttle.turn()

    def inspect(self, instruction: Inspect) -> None:
        """Read a process's environment."""
        known = proc.environment(self._children[instruction.role].pid)
        values = {name: known[name] for name in instruction.names if name in known}
        self._report(events.Environment, instruction.role, fault=instruction.fault, values=values)

    def limit(self, instruction: Limit) -> None:
        """Only the soft limit, so that it can be lifted again without privileges."""
        child = self._children[instruction.role]
        try:
            before, held = proc.data_limit(child.pid)
            _, hard = resource.prlimit(child.pid, resource.RLIMIT_DATA)
            lifted = self._lifted.setdefault(instruction.role, before)
            wanted = lifted if instruction.data is None else instruction.data
            soft = resource.RLIM_INFINITY if wanted is None else wanted
            resource.prlimit(child.pid, resource.RLIMIT_DATA, (soft, hard))
            after, _ = proc.data_limit(child.pid)
        except (OSError, StopIteration, ValueError, OverflowError):
            return  # it is gone, or may not have this limit; without a report there is no receipt
        fields = {"fault": instruction.fault, "before": before, "after": after, "held": held}
        self._report(events.Limited, instruction.role, **fields)

    def hog(self, instruction: Hog) -> None:
        """Begin to burn processors beside a role."""
        child = self._children[instruction.role]
        if not child.exited:
            self._hogs[instruction.fault] = (instruction.role, CpuHog(child.pid, instruction.processes))

    def unhog(self, instruction: Unhog) -> None:
        """End that."""
        role, hog = self._hogs.pop(instruction.fault, ("", None))
        if hog is not None:
            self._report(events.Hogged, role, fault=instruction.fault, **hog.end())

    def disk(self, instruction: Disk) -> None:
        """Mount a disk; a failure is one of the cluster."""
        try:
            disk.mount(Path(instruction.path), instruction.size)
        except OSError as error:
            self._report(events.ConnectFailed, "", reason=f"a disk of its own: {error.strerror}")

    def fill(self, instruction: Fill | Unfill) -> None:
        """Fill or empty the disk of checkpoints."""
        folder = self._children[instruction.role].folder / disk.FOLDER
        before = disk.free(folder)
        (disk.fill if isinstance(instruction, Fill) else disk.empty)(folder)
        fields = {"fault": instruction.fault, "before": before, "after": disk.free(folder)}
        self._report(events.Filled, instruction.role, **fields)

    def damage(self, instruction: Damage) -> None:
        """Damage the newest checkpoint."""
        done = disk.damage(self._children[instruction.role].folder / disk.FOLDER, instruction.how)
        self._report(events.Damaged, instruction.role, fault=instruction.fault, **vars(done))
