"""What an agent can be asked to do; one line of JSON each."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal

INTERFACE = "eth0"
"""The device of every host of a pocket cluster."""

Way = Literal["out", "in"]
"""From a host, or to it."""

SignalName = Literal["STOP", "CONT", "KILL", "TERM"]


@dataclass(frozen=True)
class Direction:
    """One direction of a link: bits/s (None: as fast as it goes), seconds one way, and packets that may wait."""

    bandwidth: float | None
    latency: float
    jitter: float
    queue: int


@dataclass(frozen=True)
class Host:
    """A host of the pocket cluster: its name, IPv4 address, and the link between it and all others."""

    name: str
    address: str
    out: Direction
    in_: Direction


@dataclass(frozen=True)
class Impairment:
    """What a fault does to one direction of a link.

    ``latency`` and ``jitter`` are seconds more, ``bandwidth`` is bits/s, ``loss``, ``duplicate`` and ``reorder`` are
    the shares of packets that are dropped, sent twice, or held for ``hold`` seconds so that others overtake them.
    ``blocked`` lets none through; with ``period``, only in the first ``down`` seconds of each. ``reset`` tears down
    every TCP connection that a packet comes by of, once.
    """

    latency: float = 0.0
    jitter: float = 0.0
    bandwidth: float | None = None
    loss: float = 0.0
    duplicate: float = 0.0
    reorder: float = 0.0
    hold: float = 0.0
    blocked: bool = False
    period: float = 0.0
    down: float = 0.0
    reset: bool = False


@dataclass(frozen=True)
class Instruction:
    """Base: every instruction names the role or host that it is for, or "" for none."""

    subject: str


@dataclass(frozen=True)
class Connect(Instruction):
    """Make the hosts of a pocket cluster and the wire between them, for no one subject. ``mtu`` is in bytes."""

    hosts: tuple[Host, ...]
    mtu: int
    seed: int


@dataclass(frozen=True)
class Impair(Instruction):
    """Let fault number ``fault`` impair one direction of the link of a host.

    With ``peer``, only packets to or from the host of that name.
    """

    fault: int
    direction: Way
    impairment: Impairment
    peer: str = ""


@dataclass(frozen=True)
class Restore(Instruction):
    """End what fault number ``fault`` does to the link of a host, and report what it did."""

    fault: int


@dataclass(frozen=True)
class Survey(Instruction):
    """Report what every link has carried so far."""


@dataclass(frozen=True)
class WatchGpus(Instruction):
    """Sample GPUs, by number, every so many ``seconds``, for no one subject, until the end."""

    gpus: tuple[int, ...]
    seconds: float


@dataclass(frozen=True)
class Share:
    """Of a machine's processors, what process number ``place`` of ``of`` gets, which computes in so many threads."""

    place: int
    of: int
    threads: int


@dataclass(frozen=True)
class Scratch:
    """A ``folder`` whose changes go to a ``layer``, another folder; if it is copied, ``without`` is left as it is.

    ``disk``: bytes of a disk of its own that the layer lies on, which a fault will fill; 0 for none.
    """

    folder: str
    layer: str
    without: str
    disk: int = 0


@dataclass(frozen=True)
class Spawn(Instruction):
    """Start a process in the folder ``cwd``; its output goes to the file ``log``. ``env`` is the whole environment.

    ``host`` is the host of the pocket cluster that it runs on, if there is one. ``fault``: which one starts it again.
    ``checkpoints``: a pattern of the files that a user's script keeps its state in. ``share``: the processors that it
    keeps to (None: to none). ``scratch``: where what it writes goes, if not where it would.
    """

    argv: tuple[str, ...]
    env: Mapping[str, str]
    cwd: str
    log: str
    host: str = ""
    fault: int | None = None
    checkpoints: str = ""
    share: Share | None = None
    scratch: Scratch | None = None


@dataclass(frozen=True)
class Credit(Instruction):
    """Let a worker go on to step ``until`` (None: to the end)."""

    until: int | None


@dataclass(frozen=True)
class Signal(Instruction):
    """Send a signal, for fault number ``fault`` or none (None), and report the state in ``/proc`` before and after."""

    signal: SignalName
    fault: int | None


@dataclass(frozen=True)
class BeginInProcess(Instruction):
    """Let a worker that waits for credit begin to commit fault number ``fault`` of its plan."""

    fault: int


@dataclass(frozen=True)
class EndInProcess(Instruction):
    """Let a worker end fault number ``fault``."""

    fault: int


@dataclass(frozen=True)
class Prepare(Instruction):
    """Before any process starts: prepare for a fault, by ``prepare`` of ``harness/agent/faults/<name>.py``."""

    name: str
    parameters: Mapping[str, Any]


@dataclass(frozen=True)
class Act(Instruction):
    """Begin fault number ``fault`` on a process, by ``harness/agent/faults/<name>.py``."""

    fault: int
    name: str
    parameters: Mapping[str, Any]


@dataclass(frozen=True)
class Undo(Instruction):
    """End fault number ``fault``, which `Act` began, and report what it did."""

    fault: int


@dataclass(frozen=True)
class Snapshot(Instruction):
    """Report the stacks of a process, Python and native, and its sockets."""


@dataclass(frozen=True)
class Shutdown(Instruction):
    """End every process: TERM, ``grace`` seconds, KILL."""

    grace: float


def greet(version: str, clock: float) -> bytes:
    """The first line that an agent writes: its harness's version and its CLOCK_MONOTONIC in seconds."""
    return json.dumps({"version": version, "clock": clock}).encode() + b"\n"


def understand(greeting: bytes) -> tuple[str, float]:
    """Version and clock of a greeting; ValueError when it is none."""
    try:
        body = json.loads(greeting)
        return str(body["version"]), float(body["clock"])
    except (KeyError, TypeError) as error:
        raise ValueError(f"not a greeting: {greeting[:80]!r}") from error


KINDS: dict[str, type[Instruction]] = {kind.__name__.lower(): kind for kind in Instruction.__subclasses__()}


def encode(instruction: Instruction) -> bytes:
    """One line of JSON, newline included."""
    body = {"kind": type(instruction).__name__.lower(), **asdict(instruction)}
    return json.dumps(body, separators=(",", ":")).encode() + b"\n"


def decode(line: bytes) -> Instruction:
    """The instruction of one line."""
    body = json.loads(line)
    kind = KINDS[body.pop("kind")]
    if kind is Spawn:
        body["argv"] = tuple(body["argv"])
        body["share"] = Share(**body["share"]) if body["share"] else None
        body["scratch"] = Scratch(**body["scratch"]) if body["scratch"] else None
    elif kind is Connect:
        body["hosts"] = tuple(_host(host) for host in body["hosts"])
    elif kind is Impair:
        body["impairment"] = Impairment(**body["impairment"])
    return kind(**body)


def _host(body: dict[str, Any]) -> Host:
    return Host(body["name"], body["address"], Direction(**body["out"]), Direction(**body["in_"]))
