"""The agent's event loop: one thread, one selector; instructions in, events out."""

from __future__ import annotations

import json
import os
import resource
import selectors
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from harness import events, instructions
from harness.agent import children, cluster, disk, proc, sockets
from harness.agent.children import Child
from harness.agent.cluster import ClusterHost
from harness.agent.hog import CpuHog
from harness.agent.stacks import StackDump
from harness.agent.throttle import ThrottledProcess
from harness.instructions import (
    Connect,
    Credit,
    Damage,
    Disk,
    Fill,
    Hog,
    Impair,
    Inspect,
    Instruction,
    Limit,
    Restore,
    Shutdown,
    Signal,
    Snapshot,
    Spawn,
    Survey,
    Tamper,
    Throttle,
    Unfill,
    Unhog,
    Untamper,
    Unthrottle,
)

_CHUNK = 1 << 16
_AFTER = {
    "STOP": frozenset(("T", "", "Z", "X")),
    "CONT": frozenset("RSDZX") | {""},
    "KILL": frozenset(("", "Z", "X")),
    "TERM": frozenset("RSDTZX") | {""},
}


class Agent:
    """Holds the processes of one arm. ``perform`` acts on an instruction, ``serve`` runs until the input ends."""

    def __init__(self, arm: str, source: int, sink: int) -> None:
        self._arm, self._source, self._sink = arm, source, sink
        self._selector = selectors.DefaultSelector()
        self._children: dict[str, Child] = {}
        self._throttles: dict[str, ThrottledProcess] = {}
        self._dumps: dict[str, StackDump] = {}
        self._hosts: dict[str, ClusterHost] = {}
        self._hogs: dict[int, tuple[str, CpuHog]] = {}
        self._lifted: dict[str, int | None] = {}
        self._folders: dict[str, Path] = {}
        self._wire: Child | None = None
        self._kill_at: float | None = None
        self._pending = b""
        self._open = True

    def serve(self) -> None:
        """Serve until the controller closes our input or goes away; then nothing of ours is left alive."""
        woken, wake = os.pipe()
        os.set_blocking(wake, False)
        os.set_blocking(woken, False)
        signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        self._watch(woken, lambda: os.read(woken, 512))
        self._watch(self._source, self._read_instructions)
        try:
            while self._open:
                for key, _ in self._selector.select(self._pause()):
                    key.data()
                self._turn_throttles()
                self._reap()
                self._finish_dumps()
                self._kill_if_due()
        except BrokenPipeError:
            pass
        finally:
            for child in [*self._children.values(), *filter(None, [self._wire])]:
                if not child.exited:
                    child.signal(signal.SIGKILL)
            for _, hog in self._hogs.values():
                hog.end()

    def _watch(self, descriptor: int, act: Callable[[], object]) -> None:
        self._selector.register(descriptor, selectors.EVENT_READ, act)

    def _pause(self) -> float | None:
        due = [throttle.due for throttle in self._throttles.values()]
        due += [dump.deadline for dump in self._dumps.values()]
        if self._kill_at is not None:
            due.append(self._kill_at)
        soonest = min(due, default=None)
        return None if soonest in (None, float("inf")) else max(0.0, soonest - time.monotonic())

    def _read_instructions(self) -> None:
        chunk = os.read(self._source, _CHUNK)
        if not chunk:
            self._open = False
            return
        *lines, self._pending = (self._pending + chunk).split(b"\n")
        for line in lines:
            self.perform(instructions.decode(line))

    def perform(self, instruction: Instruction) -> None:
        """Act on one instruction. One for a process that is gone does nothing, and reports that it is gone."""
        act: dict[type[Instruction], Callable[..., None]] = {
            Connect: self._connect,
            Impair: self._tell_wire,
            Restore: self._tell_wire,
            Survey: self._tell_wire,
            Spawn: self._spawn,
            Credit: self._tell_worker,
            Tamper: self._tell_worker,
            Untamper: self._tell_worker,
            Signal: self._signal,
            Throttle: self._throttle,
            Unthrottle: self._unthrottle,
            Inspect: self._inspect,
            Limit: self._limit,
            Hog: self._hog,
            Unhog: self._unhog,
            Disk: self._disk,
            Fill: self._fill,
            Unfill: self._fill,
            Damage: self._damage,
            Snapshot: self._snapshot,
            Shutdown: self._shutdown,
        }
        act[type(instruction)](instruction)

    def _connect(self, instruction: Connect) -> None:
        """Make the hosts, then start the wire, which holds the other ends of their devices."""
        try:
            hosts = cluster.build(instruction)
            self._wire = children.spawn(_wire(self._arm, hosts), keep=[host.device for host in hosts])
        except OSError as error:
            reason = f"{error.filename or 'a network namespace'}: {error.strerror or error}"
            self._report(events.ConnectFailed, "", reason=reason)
            return
        for host in hosts:
            os.close(host.device)
        self._hosts = {host.name: host for host in hosts}
        self._wire.grant(instructions.encode(instruction))
        self._watch(self._wire.events, partial(self._forward, self._wire))
        self._report(events.Connected, "", pid=self._wire.pid)

    def _tell_wire(self, instruction: Impair | Restore | Survey | Shutdown) -> None:
        if self._wire is not None:
            self._wire.grant(instructions.encode(instruction))

    def _spawn(self, instruction: Spawn) -> None:
        try:
            enter = self._hosts[instruction.host].enter if instruction.host else None
            child = children.spawn(instruction, enter)
        except (OSError, ValueError, subprocess.SubprocessError) as error:
            reason = f"{getattr(error, 'filename', None) or instruction.argv[0]}: {getattr(error, 'strerror', error)}"
            self._report(events.SpawnFailed, instruction.role, reason=reason)
            return
        self._children[instruction.role] = child
        self._folders[instruction.role] = Path(instruction.cwd)
        self._watch(child.events, partial(self._forward, child))
        self._report(events.Spawned, instruction.role, pid=child.pid)

    def _forward(self, child: Child) -> bool:
        """Pass whole lines on as they are, and say whether there may be more.

        A line cut short by the end of the process is dropped.
        """
        try:
            chunk = os.read(child.events, _CHUNK)
        except BlockingIOError:
            return False
        if not chunk:
            self._selector.unregister(child.events)
            return False
        whole, newline, child.rest = (child.rest + chunk).rpartition(b"\n")
        self._write(whole + newline)
        return True

    def _tell_worker(self, instruction: Credit | Tamper | Untamper) -> None:
        child = self._children[instruction.role]
        if child.exited:
            return
        if isinstance(instruction, Credit):
            words: dict[str, int | None] = {"until": instruction.until}
        else:
            words = {"begin" if isinstance(instruction, Tamper) else "end": instruction.fault}
        child.grant(json.dumps(words).encode() + b"\n")

    def _signal(self, instruction: Signal) -> None:
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

    def _throttle(self, instruction: Throttle) -> None:
        child = self._children[instruction.role]
        if not child.exited:
            throttle = ThrottledProcess(child.pid, instruction.factor)
            if proc.state(child.pid) == "T":
                throttle.suspend()
            self._throttles[instruction.role] = throttle

    def _unthrottle(self, instruction: Unthrottle) -> None:
        self._end_throttle(instruction.role)

    def _end_throttle(self, role: str) -> None:
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
            state=proc.settled(throttle.pid, _AFTER["CONT"], within=0.05),
        )

    def _turn_throttles(self) -> None:
        for throttle in self._throttles.values():
            if throttle.due <= time.monotonic():
                throttle.turn()

    def _inspect(self, instruction: Inspect) -> None:
        known = proc.environment(self._children[instruction.role].pid)
        values = {name: known[name] for name in instruction.names if name in known}
        self._report(events.Environment, instruction.role, fault=instruction.fault, values=values)

    def _limit(self, instruction: Limit) -> None:
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
        except (OSError, StopIteration):
            return  # it is gone; without a report there is no receipt
        fields = {"fault": instruction.fault, "before": before, "after": after, "held": held}
        self._report(events.Limited, instruction.role, **fields)

    def _hog(self, instruction: Hog) -> None:
        child = self._children[instruction.role]
        if not child.exited:
            self._hogs[instruction.fault] = (instruction.role, CpuHog(child.pid, instruction.processes))

    def _unhog(self, instruction: Unhog) -> None:
        role, hog = self._hogs.pop(instruction.fault, ("", None))
        if hog is not None:
            self._report(events.Hogged, role, fault=instruction.fault, **hog.end())

    def _disk(self, instruction: Disk) -> None:
        try:
            disk.mount(Path(instruction.path), instruction.size)
        except OSError as error:
            self._report(events.ConnectFailed, "", reason=f"a disk of its own: {error.strerror}")

    def _fill(self, instruction: Fill | Unfill) -> None:
        folder = self._folders[instruction.role] / disk.FOLDER
        before = disk.free(folder)
        (disk.fill if isinstance(instruction, Fill) else disk.empty)(folder)
        fields = {"fault": instruction.fault, "before": before, "after": disk.free(folder)}
        self._report(events.Filled, instruction.role, **fields)

    def _damage(self, instruction: Damage) -> None:
        done = disk.damage(self._folders[instruction.role] / disk.FOLDER, instruction.how)
        self._report(events.Damaged, instruction.role, fault=instruction.fault, **vars(done))

    def _snapshot(self, instruction: Snapshot) -> None:
        child = self._children[instruction.role]
        if child.exited:
            return
        try:
            self._dumps[instruction.role] = StackDump(child.pid)
        except OSError as error:
            text = f"py-spy cannot be started: {error.strerror}"
            self._report(events.Stack, instruction.role, text=text, sockets=sockets.of(child.pid))

    def _finish_dumps(self) -> None:
        for role, dump in list(self._dumps.items()):
            if (text := dump.text()) is not None:
                del self._dumps[role]
                self._report(events.Stack, role, text=text, sockets=sockets.of(self._children[role].pid))

    def _shutdown(self, instruction: Shutdown) -> None:
        for role in list(self._throttles):
            self._end_throttle(role)
        for child in self._alive():
            child.signal(signal.SIGTERM)
            child.signal(signal.SIGCONT)
        self._kill_at = time.monotonic() + instruction.grace
        if self._wire is None:
            self._report(events.Closed, "")
        else:
            self._tell_wire(instruction)  # it has more to tell, and then says so

    def _kill_if_due(self) -> None:
        if self._kill_at is None or time.monotonic() < self._kill_at:
            return
        self._kill_at = None
        for child in self._alive():
            child.signal(signal.SIGKILL)

    def _alive(self) -> list[Child]:
        return [child for child in self._children.values() if not child.exited]

    def _reap(self) -> None:
        """Take note of every process that ended, after all that it and the others wrote before."""
        if self._wire is not None and self._wire.process.poll() is not None:
            raise SystemExit(f"the wire ended with status {self._wire.process.returncode}")
        ended = [child for child in self._alive() if child.process.poll() is not None]
        if not ended:
            return
        for child in [*self._alive(), *filter(None, [self._wire])]:
            self._drain(child)
        for child in ended:
            child.exited = True
            self._end_throttle(child.role)
            if child.events in self._selector.get_map():
                self._selector.unregister(child.events)
            child.close()
            code = child.process.returncode
            status, number = (code, None) if code >= 0 else (None, -code)
            self._report(events.Exited, child.role, status=status, signal=number)

    def _drain(self, child: Child) -> None:
        """Forward what is in the pipe now, without waiting for more."""
        while child.events in self._selector.get_map() and self._forward(child):
            pass

    def _report(self, kind: type[events.Event], role: str, **fields: object) -> None:
        event = kind(t=round(time.monotonic(), 6), arm=self._arm, role=role, **fields)
        self._write(events.encode(event))

    def _write(self, data: bytes) -> None:
        while data:
            data = data[os.write(self._sink, data) :]


def _wire(arm: str, hosts: list[ClusterHost]) -> Spawn:
    argv = (sys.executable, "-m", "harness.agent.wire", arm)
    env = {**os.environ, "HARNESS_TUNS": ",".join(str(host.device) for host in hosts)}
    return Spawn("", argv, env, os.curdir, f"/proc/self/fd/{sys.stderr.fileno()}")


def main() -> None:
    """Serve the controller at the other end of standard input and output. The one argument names the arm."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    Agent(sys.argv[1], sys.stdin.fileno(), sys.stdout.fileno()).serve()
