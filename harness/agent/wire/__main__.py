"""Packets from TUN device to TUN device, until its control channel closes.

``python -m harness.agent.wire ARM`` with, on the control channel, a ``Connect`` instruction and then others for links.
The devices' descriptors are given in ``HARNESS_TUNS``, in the order of the hosts; in ``HARNESS_STRAIGHT`` the
compiled library, if there is one.
"""

from __future__ import annotations

import gc
import os
import signal
import sys
import time

from harness.agent.wire.direction import Lane, Tally
from harness.agent.wire.straight import LARGEST, LIBRARY_VARIABLE, Carrier, CompiledCarrier, PythonCarrier
from harness.agent.wire.switch import Arrival, Switch
from harness.base.outlet import Outlet
from harness.base.process import tighten_timers
from harness.vocabulary import events, instructions
from harness.vocabulary.events import Afterwards, Closed, Event, Impaired, Traffic
from harness.vocabulary.instructions import Connect, Impair, Instruction, Restore, Shutdown, Survey, Way

_AGENT_SECONDS = 60.0
_RETRY_SECONDS = 0.05
"""How soon what the agent has not taken is written again."""


class Wire:
    """One switch between real devices."""

    def __init__(self, arm: str, devices: list[int], control: int, sink: int, library: str) -> None:
        self._arm, self._devices, self._control, self._library = arm, devices, control, library
        self._out = Outlet(sink, "the agent", _AGENT_SECONDS)
        self._names: list[str] = []
        self._switch = Switch([], 0)
        self._carrier: Carrier = PythonCarrier((), control)
        self._closing: list[tuple[Restore, Way, Tally, float]] = []
        self._pending = b""
        self._open = True

    def serve(self) -> None:
        """Learn who is where, then carry packets until the other end of the control channel is closed."""
        os.set_blocking(self._control, False)
        gc.disable()  # nothing here makes circles
        while self._open:
            if (packet := self._carrier.carry(self._until())) is not None:
                self._switch.accept(*packet, time.monotonic())
            else:
                self._obey()
            self._deliver(self._switch.due(time.monotonic()))
            self._close(time.monotonic())
            if self._out.backlog:
                self._out.flush()
                self._out.check()

    def _until(self) -> float | None:
        """When something else is to be done than to carry packets; None where nothing is known."""
        due = self._switch.next_due
        if not self._out.backlog:
            return due
        soon = time.monotonic() + _RETRY_SECONDS
        return soon if due is None else min(soon, due)

    def _deliver(self, arrived: list[Arrival]) -> None:
        for target, packet in arrived:
            os.write(self._devices[target], packet)

    def _obey(self) -> None:
        try:
            chunk = os.read(self._control, LARGEST)
        except BlockingIOError:
            return
        self._open = bool(chunk)
        *lines, self._pending = (self._pending + chunk).split(b"\n")
        for line in lines:
            self._perform(instructions.decode(line), time.monotonic())

    def _perform(self, instruction: Instruction, now: float) -> None:
        if isinstance(instruction, Connect):
            self._switch = Switch(instruction.hosts, instruction.seed)
            self._names = [host.name for host in instruction.hosts]
            self._carrier = self._carrier_of(self._switch)
        elif isinstance(instruction, Impair):
            self._switch.impair(instruction, now)
        elif isinstance(instruction, Restore):
            self._restore(instruction, now)
        elif isinstance(instruction, Survey):
            self._survey(now)
        elif isinstance(instruction, Shutdown):
            self._close(now, at_once=True)
            self._tell(Closed(round(now, 6), self._arm, ""))

    def _carrier_of(self, switch: Switch) -> Carrier:
        if self._library:
            return CompiledCarrier(self._library, self._devices, self._control, switch.addresses, switch.routes)
        return PythonCarrier(self._devices, self._control)

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
    Wire(sys.argv[1], devices, control, sink, os.environ.get(LIBRARY_VARIABLE, "")).serve()


main()
