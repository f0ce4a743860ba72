"""Packets from TUN device to TUN device, until its control channel closes.

``python -m harness.agent.wire ARM`` with, on the control channel, a ``Connect`` instruction and then others for links.
The devices' descriptors are given in ``HARNESS_TUNS``, in the order of the hosts.
"""

from __future__ import annotations

import gc
import os
import select
import signal
import sys
import time

from harness.agent.wire.direction import Lane, Tally
from harness.agent.wire.switch import DESTINATION, Arrival, Switch
from harness.base.outlet import Outlet
from harness.base.process import tighten_timers
from harness.vocabulary import events, instructions
from harness.vocabulary.events import Afterwards, Closed, Event, Impaired, Traffic
from harness.vocabulary.instructions import Connect, Impair, Instruction, Restore, Shutdown, Survey, Way

_BURST = 32
"""Packets taken from one host before the others have their turn."""

_LARGEST = 65536
_SMALL = 1024
_AGENT_SECONDS = 60.0


class Wire:
    """One switch between real devices."""

    def __init__(self, arm: str, devices: list[int], control: int, sink: int) -> None:
        self._arm, self._devices, self._control = arm, devices, control
        self._out = Outlet(sink, "the agent", _AGENT_SECONDS)
        self._number = {device: number for number, device in enumerate(devices)}
        self._names: list[str] = []
        self._switch = Switch([], 0)
        self._closing: list[tuple[Restore, Way, Tally, float]] = []
        self._buffer = bytearray(_LARGEST)  # one for all packets
        self._view = memoryview(self._buffer)
        self._watched, self._epoll = [*devices, control], select.epoll()
        for descriptor in self._watched:
            self._epoll.register(descriptor, select.EPOLLIN)
        self._pending = b""
        self._open = True

    def serve(self) -> None:
        """Learn who is where, then carry packets until the other end of the control channel is closed."""
        while self._open and not self._names:
            self._obey()
        gc.disable()  # nothing here makes circles
        while self._open:
            for descriptor in self._readable():
                if descriptor == self._control:
                    self._obey()
                else:
                    self._take(descriptor)
            if self._switch.next_due is not None:
                self._deliver(self._switch.due(time.monotonic()))
            if self._closing:
                self._close(time.monotonic())

    def _readable(self) -> list[int]:
        """Descriptors with something to read; empty when a packet is due before there is any.

        epoll costs less, but its timeouts are whole milliseconds; those of select are exact.
        """
        due = self._switch.next_due
        if due is None and not self._out.backlog:
            return [descriptor for descriptor, _ in self._epoll.poll()]
        outgoing = [self._out.descriptor] if self._out.backlog else []
        pause = 1.0 if due is None else max(0.0, due - time.monotonic())
        readable, writable, _ = select.select(self._watched, outgoing, (), pause)
        if writable:
            self._out.flush()
        self._out.check()
        return readable

    def _take(self, device: int) -> None:
        """Carry what one host sends. After a small packet there is hardly ever another, and to look takes its time."""
        source, buffer, view = self._number[device], self._buffer, self._view
        direct = self._switch.direct[source]
        for _ in range(_BURST):
            try:
                size = os.readv(device, (buffer,))
            except BlockingIOError:
                return
            straight = direct.get(bytes(view[DESTINATION])) if buffer[0] >> 4 == 4 else None
            if straight is not None:
                straight.bytes += size
                straight.packets += 1
                os.write(self._devices[straight.target], view[:size])
            else:
                self._switch.accept(source, bytes(view[:size]), time.monotonic())
            if size < _SMALL:
                return

    def _deliver(self, arrived: list[Arrival]) -> None:
        for target, packet in arrived:
            os.write(self._devices[target], packet)

    def _obey(self) -> None:
        chunk = os.read(self._control, _LARGEST)
        self._open = bool(chunk)
        *lines, self._pending = (self._pending + chunk).split(b"\n")
        for line in lines:
            self._perform(instructions.decode(line), time.monotonic())

    def _perform(self, instruction: Instruction, now: float) -> None:
        if isinstance(instruction, Connect):
            self._switch = Switch(instruction.hosts, instruction.seed)
            self._names = [host.name for host in instruction.hosts]
        elif isinstance(instruction, Impair):
            self._switch.impair(instruction, now)
        elif isinstance(instruction, Restore):
            self._restore(instruction, now)
        elif isinstance(instruction, Survey):
            self._survey(now)
        elif isinstance(instruction, Shutdown):
            self._close(now, at_once=True)
            self._tell(Closed(round(now, 6), self._arm, ""))

    def _restore(self, wanted: Restore, now: float) -> None:
        """End a fault; what it did is told when the last packet that it concerned has arrived."""
        for way, tally in self._switch.restore(wanted, now).items():
            self._closing.append((wanted, way, tally, now))
        self._close(now)

    def _close(self, now: float, at_once: bool = False) -> None:
        """Tell of faults that have ended and whose packets have arrived; ``at_once`` of all that have ended."""
        for closing in [closing for closing in self._closing if at_once or not closing[2].travelling]:
            self._closing.remove(closing)
            wanted, way, tally, ended = closing
            seconds, counts = round(ended - tally.since, 6), (tally.packets, tally.touched, tally.overtaken)
            report = (wanted.fault, way, seconds, *counts, tally.delay, tally.rate)
            self._tell(Impaired(round(now, 6), self._arm, wanted.subject, *report))

    def _survey(self, now: float) -> None:
        self._switch.settle()
        for name, out, in_ in zip(self._names, self._switch.out, self._switch.in_, strict=True):
            counts = (out.bytes, out.packets, out.dropped, in_.bytes, in_.packets, in_.dropped)
            self._tell(Traffic(round(now, 6), self._arm, name, *counts))
            ways: dict[Way, Lane] = {"out": out, "in": in_}
            for way, lane in ways.items():
                for fault, (since, packets, lost) in lane.aftermath().items():
                    after = (fault, way, round(now - since, 6), packets, lost)
                    self._tell(Afterwards(round(now, 6), self._arm, name, *after))

    def _tell(self, event: Event) -> None:
        self._out.write(events.encode(event))


def main() -> None:
    """Serve with what the agent left in the environment."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)  # the agent says when
    tighten_timers()
    devices = [int(number) for number in os.environ["HARNESS_TUNS"].split(",")]
    control, sink = int(os.environ["HARNESS_COMMANDS_FD"]), int(os.environ["HARNESS_EVENTS_FD"])
    Wire(sys.argv[1], devices, control, sink).serve()


main()
