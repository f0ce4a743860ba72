"""A real pocket cluster: hosts, the wire between them, and that nothing of it outlives anybody. Without MXNet."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from statistics import median

import psutil
import pytest

from harness.execution import machine
from harness.execution.backends.local import LocalBackend
from harness.vocabulary.events import Connected, ConnectFailed, Exited, Traffic
from harness.vocabulary.instructions import Connect, Direction, Host, Spawn, Survey
from tests.agent.listening import PATIENCE, Listener

pytestmark = pytest.mark.skipif(
    not (machine.namespaces().there and machine.tun().there), reason="no user namespaces or no /dev/net/tun here"
)
FREE = Direction(None, 0.0, 0.0, 1000)
ECHO = """
import socket
server = socket.create_server(("10.77.0.1", 5000))
peer, address = server.accept()
print(address[0], socket.gethostname(), socket.gethostbyname("right"), flush=True)
while data := peer.recv(65536):
    peer.sendall(data)
"""
PING = """
import socket, sys, time
for _ in range(500):
    try:
        peer = socket.create_connection(("left", 5000))
        break
    except ConnectionRefusedError:
        time.sleep(0.01)
for _ in range(int(sys.argv[1])):
    began = time.monotonic()
    peer.sendall(b"x" * int(sys.argv[2]))
    got = 0
    while got < int(sys.argv[2]):
        got += len(peer.recv(65536))
    print(time.monotonic() - began, flush=True)
"""


class Cluster(Listener):
    """Two hosts, left and right, under a real agent."""

    def connect(self, link: Direction = FREE, mtu: int = 9000) -> Connected:
        hosts = (Host("left", "10.77.0.1", link, FREE), Host("right", "10.77.0.2", link, FREE))
        self.agent.send(Connect("", hosts, mtu, 1))
        return self.until(Connected)

    def spawn(self, host: str, *argv: str) -> None:
        env = {"PATH": os.environ["PATH"]}
        self.agent.send(Spawn(host, argv, env, str(self.folder), str(self.folder / host), host))

    def round_trips(self, times: int, size: int = 1) -> list[float]:
        self.spawn("left", sys.executable, "-c", ECHO)
        self.spawn("right", sys.executable, "-c", PING, str(times), str(size))
        assert self.until(Exited).status == 0, (self.folder / "right").read_text()
        return [float(line) for line in (self.folder / "right").read_text().splitlines()]


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Cluster]:
    with LocalBackend(tmp_path).open("main", networked=True) as agent:
        yield Cluster(agent, tmp_path)


def test_hosts_have_names_addresses_and_a_network_of_their_own(cluster: Cluster) -> None:
    cluster.connect()
    cluster.round_trips(1)
    assert (cluster.folder / "left").read_text() == "10.77.0.2 left 10.77.0.2\n"


def test_the_wire_counts_what_it_carries(cluster: Cluster) -> None:
    cluster.connect(mtu=1500)
    cluster.round_trips(5, 10_000)
    cluster.agent.send(Survey(""))
    left = cluster.until(Traffic)
    assert left.subject == "left"
    assert 50_000 < left.in_bytes < 60_000  # and acknowledgements
    assert 50_000 < left.out_bytes < 60_000
    assert left.in_packets >= 35  # 1460 bytes each
    assert (left.out_dropped, left.in_dropped) == (0, 0)


@pytest.mark.alone
def test_latency_is_kept_both_ways(cluster: Cluster) -> None:
    cluster.connect(Direction(None, 0.02, 0.0, 1000))
    assert 0.040 <= median(cluster.round_trips(20)) < 0.2  # benchmarks/itself says how exactly


@pytest.mark.alone
def test_bandwidth_is_kept(cluster: Cluster) -> None:
    cluster.connect(Direction(8e6, 0.0, 0.0, 1000))  # a byte a microsecond
    assert 0.2 <= median(cluster.round_trips(3, 200_000)) < 0.39  # out and back at the same time


def test_what_cannot_be_connected_is_told(cluster: Cluster) -> None:
    cluster.agent.send(Connect("", (Host("left", "no address", FREE, FREE),), 1500, 1))
    failed = cluster.until(ConnectFailed)
    assert "illegal IP address" in failed.reason


def _network_namespaces(processes: Iterable[Path]) -> set[str]:
    """Every one that a process lives in or holds open, by the processes' folders in ``/proc``."""
    held = set()
    for path in processes:
        with suppress(OSError):
            held.add(str((path / "ns" / "net").readlink()))
            held |= {name for fd in (path / "fd").iterdir() if (name := str(fd.readlink())).startswith("net:")}
    return held


def _held_by(processes: list[psutil.Process]) -> set[str]:
    """Those of our own that these hold, and nobody else needs."""
    own = _network_namespaces([Path("/proc/self")])
    return _network_namespaces(Path(f"/proc/{process.pid}") for process in processes) - own


CONTROLLER = """
import sys, time
from pathlib import Path
from harness.execution.backends.local import LocalBackend
from harness.vocabulary.instructions import Connect, Direction, Host, Spawn
free, folder, hosts = Direction(None, 0.0, 0.0, 1000), sys.argv[1], int(sys.argv[2])
with LocalBackend(Path(folder)).open("main", networked=True) as agent:
    agent.send(Connect("", tuple(Host(f"h{n}", f"10.77.0.{n}", free, free) for n in range(1, hosts + 1)), 9000, 1))
    agent.send(Spawn("worker/0", ("sleep", "600"), {"PATH": "/usr/bin:/bin"}, folder, folder + "/log", "h1"))
    print("begun", flush=True)
    time.sleep(600)
"""


def _member(controller: psutil.Process, name: str) -> psutil.Process | None:
    """The process of the controller's agent or wire, by its command line."""
    for child in controller.children(recursive=True):
        with suppress(psutil.Error, ValueError):  # it may be gone by now
            python, *arguments = child.cmdline()
            if "python" in python and any(f"run_module('{name}'" in argument for argument in arguments):
                return child
    return None


def _awaited(controller: psutil.Process, name: str) -> psutil.Process:
    deadline = time.monotonic() + PATIENCE
    while (living := _member(controller, name)) is None:
        assert time.monotonic() < deadline, f"no {name}"
    return living


def _alive(processes: list[psutil.Process]) -> list[psutil.Process]:
    """Those that are neither gone nor waiting to be reaped."""
    living = []
    for process in processes:
        with suppress(psutil.NoSuchProcess):
            if process.is_running() and process.status() != psutil.STATUS_ZOMBIE:
                living.append(process)
    return living


@contextmanager
def _controller(folder: Path, hosts: int) -> Iterator[psutil.Process]:
    """A process with a pocket cluster under way, which is killed whatever happens here."""
    argv = [sys.executable, "-c", CONTROLLER, str(folder), str(hosts)]
    with subprocess.Popen(argv, stdout=subprocess.PIPE) as process:
        try:
            assert process.stdout is not None and process.stdout.readline() == b"begun\n"
            yield psutil.Process(process.pid)
        finally:
            process.kill()


@pytest.mark.parametrize("victim", ["controller", "harness.agent", "harness.agent.wire"])
def test_nothing_outlives_any_of_them(tmp_path: Path, victim: str) -> None:
    """Each killed so many times at a random moment, also while hosts are being made."""
    draw = random.Random(victim)
    for _ in range(int(os.environ.get("CLUSTER_KILLS", "12"))):
        with _controller(tmp_path, draw.randint(1, 6)) as controller:
            condemned = controller if victim == "controller" else _awaited(controller, victim)
            time.sleep(draw.uniform(0.0, 0.3))
            started = controller.children(recursive=True)
            namespaces = _held_by(started)
            condemned.kill()
            until = time.monotonic() + PATIENCE
            while (left := _alive(started)) and time.monotonic() < until:
                time.sleep(0.02)
            assert (left, namespaces & _network_namespaces(Path("/proc").glob("[0-9]*"))) == ([], set())


def test_nothing_outlives_a_killed_controller_whose_agent_stands_still(tmp_path: Path) -> None:
    with _controller(tmp_path, 2) as controller:
        _awaited(controller, "harness.agent").suspend()
        started = controller.children(recursive=True)
        controller.kill()
        until = time.monotonic() + PATIENCE
        while (left := _alive(started)) and time.monotonic() < until:
            time.sleep(0.02)
        assert left == []
