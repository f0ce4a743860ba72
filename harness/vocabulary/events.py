"""What can be in a history: one frozen dataclass a kind, one line of JSON each.

``t`` is seconds of the controller's CLOCK_MONOTONIC. What only one fault reports is defined in that fault's file; a
kind is known as soon as its class is imported.
"""

from __future__ import annotations

import re
from collections.abc import Set
from dataclasses import MISSING, asdict, dataclass, field, fields
from typing import Any, Literal

import orjson

from harness.vocabulary.event_line import line

Outcome = Literal["completed", "crashed", "hung", "diverged", "refused", "interrupted", "aborted", "stopped"]

Stage = Literal["", "start-up", "training", "exit"]

KINDS: dict[str, type[Event]] = {}
"""What the ``kind`` of a line stands for."""


@dataclass(frozen=True)
class Event:
    """Base: when, in which arm, and of what: a role, a host of a pocket cluster, or "" for the whole arm."""

    t: float
    arm: str
    subject: str

    def __init_subclass__(cls) -> None:
        """TypeError where two classes would have one kind."""
        other = KINDS.setdefault(_kind(cls), cls)
        if other.__module__ != cls.__module__:
            raise TypeError(f"event {_kind(cls)!r} is defined by both {other.__module__} and {cls.__module__}")


def _kind(event: type[Event]) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", "_", event.__name__).lower()


@dataclass(frozen=True)
class Announced(Event):
    """The program of a role runs, under the ``pid`` that it has itself: another than `Spawned`'s under a wrapper."""

    pid: int


@dataclass(frozen=True)
class Imported(Event):
    """A worker has imported MXNet: the proof that there is one to blame.

    ``libraries``: versions of CUDA, NCCL, cuDNN and OpenBLAS, as those say that are loaded. ``pool``: settings of the
    pool on GPUs, as MXNet's library reads them.
    """

    seconds: float
    python: str
    mxnet: str
    numpy: str
    features: list[str]
    libraries: dict[str, str] = field(default_factory=dict)
    pool: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Ready(Event):
    """A worker is built and connected. ``baseline``: anonymous bytes held before the first array."""

    baseline: int
    kvstore_rank: int | None
    live_missing: str


@dataclass(frozen=True)
class Waiting(Event):
    """A worker has finished all steps before ``step`` and asks for credit."""

    step: int


@dataclass(frozen=True)
class Progress(Event):
    """A heartbeat: ``step`` was issued."""

    step: int


@dataclass(frozen=True)
class Window(Event):
    """``steps`` steps from ``first`` took ``seconds``, closed by a wait."""

    first: int
    steps: int
    seconds: float


@dataclass(frozen=True)
class Samples(Event):
    """Of each step from ``first``: samples (None: nobody knows), and seconds of waiting for them.

    Of a user's script, and where a loader of MXNet's brings batches. ``shapes`` of the first array of data of every
    batch that was trained with, where they are recorded. Comes before the window that they are of.
    """

    first: int
    counts: list[int | None]
    waited: list[float]
    shapes: list[list[int]] = field(default_factory=list)


@dataclass(frozen=True)
class Recognised(Event):
    """What a user's script trains with, as its first step showed: words by what they are of."""

    facts: dict[str, str]


@dataclass(frozen=True)
class Step(Event):
    """Seconds of each step from ``first``, each closed by a wait (``sync_every: 1`` only)."""

    first: int
    seconds: list[float]


@dataclass(frozen=True)
class Overflowed(Event):
    """At a loss scale of ``scale`` a gradient was not finite, so that AMP left out the update of this step."""

    step: int
    scale: float


@dataclass(frozen=True)
class Phases(Event):
    """When each step from ``first`` began, had its gradients, and was through, each closed by a wait (``phases``)."""

    first: int
    began: list[float]
    computed: list[float]
    ended: list[float]


@dataclass(frozen=True)
class Loss(Event):
    """Mean loss of each step from ``first``; None where it is not finite."""

    first: int
    values: list[float | None]


@dataclass(frozen=True)
class Memory(Event):
    """Bytes after ``step`` steps. ``peak``: the highest ``resident`` ever was, with what is mapped from files.

    ``live`` and ``live_low``: highest and lowest level since the last one.

    ``live_by_device``: the highest of each device, as in ``cpu/0``.
    """

    step: int
    resident: int
    peak: int
    anonymous: int
    live: int | None
    live_low: int | None
    live_by_device: dict[str, int] | None


@dataclass(frozen=True)
class Gradients(Event):
    """Euclidean norms of gradients, ``norms[step - first][parameter]``; None where one is not finite."""

    first: int
    names: list[str]
    norms: list[list[float | None]]


@dataclass(frozen=True)
class NotFinite(Event):
    """A parameter with a value that is not finite, found after ``step`` steps: the first one, and all at the end."""

    step: int
    parameter: str


@dataclass(frozen=True)
class Committed(Event):
    """A worker committed fault number ``fault`` in one ``step``: SHA-256 of ``what`` it was, and is now.

    ``detail`` says it in words.
    """

    fault: int
    step: int
    what: str
    before: str
    after: str
    detail: str


@dataclass(frozen=True)
class Withdrawn(Event):
    """What a worker told of fault number ``fault`` in ``step`` was of a batch that nobody trained with."""

    fault: int
    step: int


@dataclass(frozen=True)
class Checkpointed(Event):
    """A checkpoint of the state after ``step`` steps is on disk, with its SHA-256 and seconds that it took.

    ``missing``: what could not be saved, and why. ``failure``: why there is none; earlier ones stay.
    """

    step: int
    sha256: str
    seconds: float
    missing: str
    failure: str


@dataclass(frozen=True)
class Resumed(Event):
    """A worker goes on from the checkpoint of ``step``; those that were ``rejected``, each with the reason."""

    step: int
    rejected: list[str]


@dataclass(frozen=True)
class Misapplied(Event):
    """The oracle: after ``step`` steps, parameter ``key`` shows ``shown`` updates of the worker ``of``; None is NaN."""

    step: int
    key: str
    of: str
    expected: str
    shown: float | None


@dataclass(frozen=True)
class Digest(Event):
    """SHA-256 of one context's trained parameters, and of those that training does not update."""

    step: int
    context: str
    weights: str
    fixed: str


@dataclass(frozen=True)
class Examined(Event):
    """Of ``samples`` that were held back from training, a worker's network knew so many after its last step."""

    step: int
    right: int
    samples: int


@dataclass(frozen=True)
class Parameters(Event):
    """Of each parameter of a worker's first context, once ``step`` steps are done: half of its SHA-256, and a sketch.

    ``sketches``: sums whose differences tell how far apart two arrays are (`harness/worker/digest.py`).
    """

    step: int
    digests: dict[str, str]
    sketches: dict[str, list[float]]


@dataclass(frozen=True)
class Failed(Event):
    """An exception ended the training script. The process may still be there: MXNet's kvstores wait when they go.

    ``defect``: it came from the harness's own code, not from MXNet or what is trained; ``mxnet``: from MXNet. ``step``:
    the last that was begun. ``where``: the innermost line of the user's files that led to it, as ``train.py:12``.
    """

    error: str
    defect: bool
    mxnet: bool = True
    step: int = 0
    where: str = ""


@dataclass(frozen=True)
class Done(Event):
    """A worker has trained ``step`` steps and is about to leave."""

    step: int


@dataclass(frozen=True)
class Spawned(Event):
    """A process started, ``pid`` as the agent sees it; ``fault``: which one started it again, if one did."""

    pid: int
    fault: int | None


@dataclass(frozen=True)
class SpawnFailed(Event):
    """A process could not be started."""

    reason: str


@dataclass(frozen=True)
class Exited(Event):
    """A process ended and was reaped: exit ``status``, or the number of the ``signal`` that ended it."""

    status: int | None
    signal: int | None


@dataclass(frozen=True)
class Connected(Event):
    """The hosts and the wire of a pocket cluster are there; ``pid`` is the wire's."""

    pid: int


@dataclass(frozen=True)
class ConnectFailed(Event):
    """A pocket cluster could not be made."""

    reason: str


@dataclass(frozen=True)
class Traffic(Event):
    """What the wire has carried for one host since it began; the subject is the host's name.

    ``out`` is from the host, ``in`` to it. Dropped packets found a full queue; what a full queue on the way in dropped
    had left its sender, and is counted there.
    """

    out_bytes: int
    out_packets: int
    out_dropped: int
    in_bytes: int
    in_packets: int
    in_dropped: int


@dataclass(frozen=True)
class Impaired(Event):
    """What fault number ``fault`` did to one direction of a link until it ended; the subject is the host.

    Of ``packets`` that came by in ``seconds``, ``touched`` were dropped, doubled, held or delayed, and ``overtaken``
    arrived after others that had entered later. ``delay``: mean seconds that packets were written later than without
    this fault. ``rate``: bits/s at which packets left while others waited. None where no packet tells.
    """

    fault: int
    direction: str
    seconds: float
    packets: int
    touched: int
    overtaken: int
    delay: float | None
    rate: float | None


@dataclass(frozen=True)
class Afterwards(Event):
    """What came by in one direction of a host's link in the ``seconds`` since fault number ``fault`` ended there.

    ``lost``: packets that did not arrive, those apart that found a full queue; None where another fault was there.
    """

    fault: int
    direction: str
    seconds: float
    packets: int
    lost: int | None


@dataclass(frozen=True)
class GpuPool(Event):
    """Bytes that MXNet says are ``free`` on each GPU (``gpu/0``) of a worker after ``step`` steps.

    Step 0 is before the first array.
    """

    step: int
    free: dict[str, int]


@dataclass(frozen=True)
class GpuSampled(Event):
    """What NVML said of a GPU (``gpu/0``): numbers by name, and its words for those that it refuses.

    ``slowed``: why its clocks are lower than the load would have them. ``processes``: bytes of each that has a GPU
    open here, by its number.
    """

    values: dict[str, float]
    missing: dict[str, str]
    slowed: list[str]
    processes: dict[str, int]


@dataclass(frozen=True)
class GpuFault(Event):
    """The driver told a critical error of a GPU, by its number (Xid)."""

    xid: int


@dataclass(frozen=True)
class GpuMissing(Event):
    """A GPU answers nothing any more, or none can be asked ("" as subject): NVML's word."""

    reason: str


@dataclass(frozen=True)
class Closed(Event):
    """All that was asked before the shutdown has been answered."""


@dataclass(frozen=True)
class Signalled(Event):
    """A signal was sent, for fault number ``fault`` or none; the process state in ``/proc`` just before and once it had
    settled ("" when gone).

    ``ran``: seconds that its threads had been on a processor, once STOP had settled and before any other.
    """

    fault: int | None
    signal: str
    before: str
    after: str
    ran: float


@dataclass(frozen=True)
class Stack(Event):
    """Python and native stacks of a live process (py-spy), or why there are none, and its TCP connections.

    ``sockets``: as ``10.77.0.3:41200 > 10.77.0.1:9000 ESTABLISHED``, or ``LISTEN``.
    """

    text: str
    sockets: list[str]


@dataclass(frozen=True)
class Started(Event):
    """All workers of an arm were ready and got their first credit. Fault times count from here."""


@dataclass(frozen=True)
class Injected(Event):
    """Fault number ``fault`` of the plan was asked for; ``step`` is None when the clock decided."""

    fault: int
    step: int | None


@dataclass(frozen=True)
class Healed(Event):
    """Fault number ``fault`` was asked to end."""

    fault: int
    step: int | None


@dataclass(frozen=True)
class Superseded(Event):
    """Fault number ``fault`` cannot act any more because of what fault number ``by`` did; ``reason`` says it."""

    fault: int
    by: int
    reason: str


@dataclass(frozen=True)
class Ended(Event):
    """How an arm ended, why, which process is to blame (``subject``, if one is) and the last lines that it logged.

    ``stage``: where it stood still, if it did: before the first step, between steps, or when all had finished.
    ``steps``: the most that a worker took which trained to its end; None where none did.
    """

    outcome: Outcome
    reason: str
    log: str = ""
    stage: Stage = ""
    steps: int | None = None


def encode(event: Event) -> bytes:
    """The line of an event."""
    body = asdict(event)
    return line(body.pop("t"), body.pop("arm"), body.pop("subject"), _kind(type(event)), body)


_new = object.__new__
_FIELDS: dict[str, frozenset[str]] = {}


def _absent(kind: str, given: Set[str]) -> dict[str, Any]:
    """Fields that came to a kind of event after a line of it was written, with what they stand for there."""
    absent = (field for field in fields(KINDS[kind]) if field.name not in given)
    return {field.name: field.default for field in absent if field.default is not MISSING}


def _fields(kind: str) -> frozenset[str]:
    """Of a kind that was seen before; classes are not complete when they are noted in `KINDS`."""
    if kind not in _FIELDS:
        _FIELDS[kind] = frozenset(field.name for field in fields(KINDS[kind]))
    return _FIELDS[kind]


def decode(text: bytes) -> Event:
    """The event of one line; ValueError when it is none."""
    try:
        body = orjson.loads(text)  # histories have millions of lines; the standard library takes four times as long
        word = body.pop("kind")
        kind = KINDS[word]
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"not an event: {text[:80]!r} ({error})") from error
    known = _FIELDS.get(word) or _fields(word)
    if body.keys() != known:
        body.update(_absent(word, body.keys()))
    if body.keys() != known:
        wrong = ", ".join(sorted(known ^ body.keys()))
        raise ValueError(f"not an event: {text[:80]!r} (fields missing or unknown: {wrong})")
    event = _new(kind)
    event.__dict__.update(body)  # the constructor of a frozen dataclass sets field by field
    return event
