"""The agent's event loop: one thread, one selector; instructions in, events out."""

from __future__ import annotations

import json
import os
import selectors
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial

from harness.agent import children, cluster, proc, scratch, sockets
from harness.agent.children import Child
from harness.agent.cluster import ClusterHost
from harness.agent.fault_injector import FaultInjector
from harness.agent.faults import Fields
from harness.agent.logs import Logs
from harness.agent.scratch import Layer
from harness.agent.stacks import StackDump
from harness.base.errors import AgentError
from harness.base.outlet import Outlet
from harness.base.process import adopt_orphans, module
from harness.base.version import __version__
from harness.vocabulary import instructions
from harness.vocabulary.event_line import line
from harness.vocabulary.instructions import (
    Act,
    BeginInProcess,
    Connect,
    Credit,
    EndInProcess,
    Impair,
    Instruction,
    Prepare,
    Restore,
    Shutdown,
    Signal,
    Snapshot,
    Spawn,
    Survey,
    Undo,
    WatchGpus,
)

_CHUNK = 1 << 16
_CONGESTED = 1 << 20
"""Bytes that wait for the controller before nothing more is taken from the processes."""

_CONTROLLER_SECONDS = 600.0
"""So long a controller may be held up, as by Ctrl-Z; when it is gone, the end of our input says so at once."""

_PASSES = 20
_LAST_SECONDS = 1.0
_OF_NO_PROCESS = (Connect, Impair, Prepare, Restore, Shutdown, Spawn, Survey, WatchGpus)


class Agent:
    """Holds the processes of one arm. ``perform`` acts on an instruction, ``serve`` runs until the input ends."""

    def __init__(self, arm: str, source: int, sink: int) -> None:
        self._arm, self._source = arm, source
        self._out = Outlet(sink, "the controller", _CONTROLLER_SECONDS)
        self._selector = selectors.DefaultSelector()
        self._events = selectors.DefaultSelector()  # one for all that write to us, so that they can wait together
        self._congested = False
        self._children: dict[str, Child] = {}
        self._injector = FaultInjector(self._children, self._report)
        self._dumps: dict[str, StackDump] = {}
        self._logs = Logs()
        self._hosts: dict[str, ClusterHost] = {}
        self._layers: dict[str, Layer] = {}
        self._wire: Child | None = None
        self._gpus: Child | None = None
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
        self._watch(self._events.fileno(), self._read_events)
        try:
            self._write(instructions.greet(__version__, time.monotonic()))
            while self._open:
                for key, _ in self._selector.select(self._pause()):
                    key.data()
                self._injector.turn()
                self._reap()
                self._finish_dumps()
                self._kill_if_due()
                self._logs.trim()
                self._balance()
        except BrokenPipeError:
            pass
        finally:
            for child in [*self._children.values(), *filter(None, [self._wire, self._gpus])]:
                if not child.exited:
                    child.signal(signal.SIGKILL)
            with suppress(BrokenPipeError, AgentError):  # nobody may be left to tell
                self._injector.end()
            _end_all_below()
            self._keep_disks()
            with suppress(BrokenPipeError):
                self._out.finish(_LAST_SECONDS if self._open else 0.0)

    def _watch(self, descriptor: int, act: Callable[[], object]) -> None:
        self._selector.register(descriptor, selectors.EVENT_READ, act)

    def _read_events(self) -> None:
        for key, _ in self._events.select(0):
            key.data()

    def _balance(self) -> None:
        """Write on where others read; while the controller does not, let those wait that write to us."""
        for outlet in self._outlets():
            outlet.check()
            registered = outlet.descriptor in self._selector.get_map()
            if outlet.backlog and not registered:
                self._selector.register(outlet.descriptor, selectors.EVENT_WRITE, partial(_flush, outlet))
            elif registered and not outlet.backlog:
                self._selector.unregister(outlet.descriptor)
        if self._congested != (self._out.backlog > _CONGESTED):
            self._congested = not self._congested
            if self._congested:
                self._selector.unregister(self._events.fileno())
            else:
                self._watch(self._events.fileno(), self._read_events)

    def _outlets(self) -> list[Outlet]:
        return [self._out, *(child.commands for child in [*self._alive(), *filter(None, [self._wire])])]

    def _pause(self) -> float | None:
        due = [self._injector.due, self._logs.due]
        if any(outlet.backlog for outlet in self._outlets()):
            due.append(time.monotonic() + 1.0)
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
        for text in lines:
            self.perform(instructions.decode(text))

    def perform(self, instruction: Instruction) -> None:
        """Act on one instruction. One for a process that is gone does nothing, and reports that it is gone."""
        act: dict[type[Instruction], Callable[..., None]] = {
            Connect: self._connect,
            Impair: self._tell_wire,
            Restore: self._tell_wire,
            Survey: self._tell_wire,
            Spawn: self._spawn,
            Credit: self._tell_worker,
            BeginInProcess: self._tell_worker,
            EndInProcess: self._tell_worker,
            Prepare: self._injector.prepare,
            Act: self._injector.act,
            Undo: self._injector.undo,
            Signal: self._injector.signal,
            Snapshot: self._snapshot,
            WatchGpus: self._watch_gpus,
            Shutdown: self._shutdown,
        }
        if not isinstance(instruction, _OF_NO_PROCESS) and instruction.subject not in self._children:
            return  # it was never started; without a report there is no receipt
        act[type(instruction)](instruction)

    def _connect(self, instruction: Connect) -> None:
        """Make the hosts, then start the wire, which holds the other ends of their devices."""
        try:
            hosts = cluster.build(instruction)
            self._wire = children.spawn(_wire(self._arm, hosts), keep=[host.device for host in hosts])
        except OSError as error:
            reason = f"{error.filename or 'a network namespace'}: {error.strerror or error}"
            self._report("connect_failed", "", {"reason": reason})
            return
        for host in hosts:
            os.close(host.device)
        self._hosts = {host.name: host for host in hosts}
        self._wire.command(instructions.encode(instruction))
        self._events.register(self._wire.events, selectors.EVENT_READ, partial(self._forward, self._wire))
        self._report("connected", "", {"pid": self._wire.pid})

    def _watch_gpus(self, instruction: WatchGpus) -> None:
        """Start the process that does; one that ends has said why."""
        numbers = map(str, instruction.gpus)
        argv = tuple(module("harness.gpu.sampler", self._arm, str(instruction.seconds), *numbers))
        log = f"/proc/self/fd/{sys.stderr.fileno()}"
        try:
            self._gpus = children.spawn(Spawn("", argv, dict(os.environ), os.curdir, log))
        except (OSError, subprocess.SubprocessError) as error:
            self._report("gpu_missing", "", {"reason": f"the sampler cannot be started: {error}"})
            return
        self._events.register(self._gpus.events, selectors.EVENT_READ, partial(self._hear_of_gpus, self._gpus))

    def _hear_of_gpus(self, sampler: Child) -> None:
        """Pass on what it says; its end is told, unless it is ours."""
        self._forward(sampler)
        if sampler.events not in self._events.get_map() and self._kill_at is None:
            self._report("gpu_missing", "", {"reason": "the sampler ended; the agent's log may tell why"})

    def _tell_wire(self, instruction: Impair | Restore | Survey | Shutdown) -> None:
        if self._wire is not None:
            self._wire.command(instructions.encode(instruction))

    def _spawn(self, instruction: Spawn) -> None:
        try:
            layer = self._layer(instruction)
            host = self._hosts[instruction.host] if instruction.host else None
            child = children.spawn(instruction, [place.enter for place in (host, layer) if place is not None])
        except (OSError, ValueError, subprocess.SubprocessError) as error:
            what = getattr(error, "filename", None) or instruction.argv[0]
            reason = f"{what}: {getattr(error, 'strerror', None) or error}"
            self._report("spawn_failed", instruction.subject, {"reason": reason})
            return
        if layer is not None:
            pattern, child.own_disk = layer.seen(child.own_checkpoints), layer.disk
            child.own_files = child.own_files if pattern == child.own_checkpoints else layer.written
            child.own_checkpoints = pattern
        if (before := self._children.get(instruction.subject)) is not None:
            child.since, child.before = before.since, before.before
        self._children[instruction.subject] = child
        self._logs.watch(instruction.log)
        self._events.register(child.events, selectors.EVENT_READ, partial(self._forward, child))
        self._report("spawned", instruction.subject, {"pid": child.pid, "fault": instruction.fault})

    def _layer(self, instruction: Spawn) -> Layer | None:
        """That of its host, made when the first process of it starts."""
        wanted = instruction.scratch
        if wanted is None:
            return None
        if wanted.layer not in self._layers:
            self._layers[wanted.layer] = scratch.build(wanted)
        return self._layers[wanted.layer]

    def _keep_disks(self) -> None:
        """Save what was written to those that end with us; the agent's log tells what could not be saved."""
        for layer in self._layers.values():
            try:
                layer.keep()
            except OSError as error:
                sys.stderr.write(f"what was written to {layer.folder} is lost in part: {error}\n")

    def _forward(self, child: Child) -> bool:
        """Pass whole lines on as they are, and say whether there may be more.

        A line cut short by the end of the process is dropped.
        """
        try:
            chunk = os.read(child.events, _CHUNK)
        except BlockingIOError:
            return False
        if not chunk:
            self._events.unregister(child.events)
            return False
        whole, newline, child.rest = (child.rest + chunk).rpartition(b"\n")
        if child.announced is None:
            _hear_announcement(child, whole)
        if b'"kind":"imported"' in whole:
            child.place()  # what it makes from here on lies near its own processors
        self._write(whole + newline)
        return True

    def _tell_worker(self, instruction: Credit | BeginInProcess | EndInProcess) -> None:
        child = self._children[instruction.subject]
        if child.exited:
            return
        if isinstance(instruction, Credit):
            for each in self._alive():
                each.place()
            words: dict[str, int | None] = {"until": instruction.until}
        else:
            words = {"begin" if isinstance(instruction, BeginInProcess) else "end": instruction.fault}
        child.command(json.dumps(words).encode() + b"\n")

    def _snapshot(self, instruction: Snapshot) -> None:
        child = self._children[instruction.subject]
        if child.exited or child.role in self._dumps:
            return
        self._injector.hold(child.role)  # py-spy cannot look at what is stopped and continued meanwhile
        try:
            self._dumps[instruction.subject] = StackDump(child.pid)
        except OSError as error:
            text = f"py-spy cannot be started: {error.strerror}"
            self._report_stack(child, text)

    def _finish_dumps(self) -> None:
        for role, dump in list(self._dumps.items()):
            if (text := dump.text()) is not None:
                del self._dumps[role]
                self._report_stack(self._children[role], text)

    def _report_stack(self, child: Child, text: str) -> None:
        if proc.state(child.pid) != "T":  # else a pause holds it, to its end
            self._injector.let_go(child.role)
        self._report("stack", child.role, {"text": text, "sockets": sockets.of(child.pid)})

    def _shutdown(self, instruction: Shutdown) -> None:
        self._injector.end()
        if self._gpus is not None:
            self._gpus.signal(signal.SIGKILL)
        for child in self._alive():
            child.signal(signal.SIGTERM)
            child.signal(signal.SIGCONT)
        self._kill_at = time.monotonic() + instruction.grace
        if self._wire is None:
            self._report("closed", "", {})
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
            self._injector.release(child.role)
            if child.events in self._events.get_map():
                self._events.unregister(child.events)
            if child.commands.descriptor in self._selector.get_map():
                self._selector.unregister(child.commands.descriptor)
            child.close()
            code = child.process.returncode
            status, number = (code, None) if code >= 0 else (None, -code)
            self._report("exited", child.role, {"status": status, "signal": number})

    def _drain(self, child: Child) -> None:
        """Forward what is in the pipe now, without waiting for more."""
        while child.events in self._events.get_map() and self._forward(child):
            pass

    def _report(self, kind: str, subject: str, fields: Fields) -> None:
        self._write(line(round(time.monotonic(), 6), self._arm, subject, kind, fields))

    def _write(self, data: bytes) -> None:
        self._out.write(data)


def _flush(outlet: Outlet) -> None:
    with suppress(BrokenPipeError):
        outlet.flush()


def _hear_announcement(child: Child, lines: bytes) -> None:
    for text in lines.splitlines():
        if b'"kind":"announced"' in text:
            child.announce(json.loads(text)["pid"])


def _wire(arm: str, hosts: list[ClusterHost]) -> Spawn:
    argv = tuple(module("harness.agent.wire", arm))
    env = {**os.environ, "HARNESS_TUNS": ",".join(str(host.device) for host in hosts)}
    return Spawn("", argv, env, os.curdir, f"/proc/self/fd/{sys.stderr.fileno()}")


def _end_all_below() -> None:
    """What roles started ends with them, also where no namespace of processes sees to that."""
    for _ in range(_PASSES):  # one may start another meanwhile
        alive = [pid for pid in proc.descendants(os.getpid()) if proc.state(pid) not in proc.GONE]
        for pid in alive:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        if not alive:
            return


def main() -> None:
    """Serve the controller at the other end of standard input and output. The one argument names the arm."""
    adopt_orphans()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    Agent(sys.argv[1], sys.stdin.fileno(), sys.stdout.fileno()).serve()
