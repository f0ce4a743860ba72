"""Both carriers, on sockets that keep packets apart as TUN devices do."""

from __future__ import annotations

import os
import shutil
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from harness.agent.wire.straight import Carrier, CompiledCarrier, PythonCarrier, library
from harness.agent.wire.switch import Switch
from harness.vocabulary.instructions import Direction, Host
from tests.agent.wire.test_switch import packet

FREE, SLOW = Direction(None, 0.0, 0.0, 10), Direction(None, 0.5, 0.0, 10)
Place = tuple[list[socket.socket], Switch, Carrier, int]


@pytest.fixture
def wired(tmp_path: Path) -> Iterator[Callable[[bool], Place]]:
    """Three hosts, of which packets to the third take their time: their ends, the switch, its carrier, the control."""
    with ExitStack() as stack:

        def make(compiled: bool) -> Place:
            pairs = [socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET) for _ in range(3)]
            for end in (end for pair in pairs for end in pair):
                end.setblocking(False)
                stack.enter_context(end)
            devices = [inner.fileno() for _, inner in pairs]
            reading, control = os.pipe()
            for descriptor in (reading, control):
                stack.callback(os.close, descriptor)
            names = zip("abc", (FREE, FREE, SLOW), strict=True)
            hosts = [Host(name, f"10.77.0.{n}", FREE, in_) for n, (name, in_) in enumerate(names, 1)]
            switch = Switch(hosts, 0)
            path = str(library(tmp_path)) if compiled else ""
            carrier: Carrier = PythonCarrier(devices, reading)
            if compiled:
                carrier = CompiledCarrier(path, devices, reading, switch.addresses, switch.routes)
            return [outer for outer, _ in pairs], switch, carrier, control

        yield make


def test_what_nothing_holds_up_goes_straight_and_is_counted(wired: Callable[[bool], Place]) -> None:
    hosts, switch, carrier, _ = wired(True)
    large = packet("10.77.0.2", 60_000)
    for sent in (large, packet("10.77.0.2", 52), packet("10.77.0.1")):
        hosts[0].send(sent)
    assert carrier.carry(time.monotonic() + 0.01) is None
    assert (hosts[1].recv(1 << 16), hosts[1].recv(1 << 16), hosts[0].recv(1 << 16)) == (
        large,
        packet("10.77.0.2", 52),
        packet("10.77.0.1"),
    )
    switch.settle()
    assert (switch.out[0].packets, switch.out[0].bytes, switch.in_[1].bytes) == (3, 60_152, 60_052)


@pytest.mark.parametrize("compiled", [True, False])
@pytest.mark.parametrize("held", [packet("10.77.0.3"), packet("10.77.0.9"), bytes([0x60]) + bytes(59), b"E"])
def test_what_does_not_go_straight_is_left_to_the_switch(
    wired: Callable[[bool], Place], compiled: bool, held: bytes
) -> None:
    hosts, switch, carrier, _ = wired(compiled)
    hosts[1].send(held)
    assert carrier.carry(None) == (1, held)
    assert [route.packets for route in switch.routes] == [0] * 9


@pytest.mark.parametrize("compiled", [True, False])
def test_a_route_is_closed_as_soon_as_the_switch_says_so(wired: Callable[[bool], Place], compiled: bool) -> None:
    hosts, switch, carrier, _ = wired(compiled)
    switch.routes[3 * 0 + 1].open = 0
    hosts[0].send(packet("10.77.0.2"))
    assert carrier.carry(None) == (0, packet("10.77.0.2"))


@pytest.mark.parametrize("compiled", [True, False])
def test_it_returns_when_told_to_and_for_instructions(wired: Callable[[bool], Place], compiled: bool) -> None:
    _, _, carrier, control = wired(compiled)
    began = time.monotonic()
    assert carrier.carry(began + 0.02) is None
    assert time.monotonic() - began >= 0.02
    os.write(control, b"x")
    assert carrier.carry(None) is None


@pytest.mark.parametrize("compiled", [True, False])
def test_packets_are_taken_even_where_something_else_is_always_due(
    wired: Callable[[bool], Place], compiled: bool
) -> None:
    hosts, _, carrier, _ = wired(compiled)
    hosts[0].send(packet("10.77.0.3"))
    assert carrier.carry(0.0) == (0, packet("10.77.0.3"))


def test_a_device_that_fails_is_an_error(wired: Callable[[bool], Place]) -> None:
    hosts, _, carrier, _ = wired(True)
    hosts[1].shutdown(socket.SHUT_RD)
    hosts[0].send(packet("10.77.0.2"))
    with pytest.raises(OSError, match="roken pipe"):
        carrier.carry(None)


def test_the_library_is_made_once_and_its_lack_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = library(tmp_path / "cache")
    made = path.stat().st_ino
    assert library(tmp_path / "cache").stat().st_ino == made
    assert [file.name for file in (tmp_path / "cache").iterdir()] == [path.name]
    monkeypatch.setattr(shutil, "which", lambda name: None)
    with pytest.raises(RuntimeError, match="no C compiler"):
        library(tmp_path / "other")


@pytest.mark.parametrize("compiled", [True, False])
def test_nobody_waits_for_who_has_much_to_send(wired: Callable[[bool], Place], compiled: bool) -> None:
    hosts, _, carrier, control = wired(compiled)
    for _ in range(5):
        hosts[0].send(packet("10.77.0.3"))
    hosts[1].send(packet("10.77.0.3"))
    os.write(control, b"x")
    came = [carrier.carry(0.0) for _ in range(4)]
    assert {None, (0, packet("10.77.0.3")), (1, packet("10.77.0.3"))} == set(came[:3])


def test_a_library_that_cannot_be_loaded_is_made_anew(tmp_path: Path) -> None:
    torn = tmp_path / library(tmp_path / "other").name
    torn.write_bytes(b"")
    assert library(tmp_path) == torn
    assert torn.stat().st_size > 1000
