"""Faults: each returns instructions and judges, from the history, whether it really happened. One file each.

A fault never acts by itself: the agent (`harness/agent/faults/`) or the worker (`harness/worker/faults/`) commits it,
in a file of the same name. Its receipt is read from evidence that the injecting code does not control: the state in
``/proc``, the exit status that the kernel gave, the time of steps, hashes of what was sent.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, ClassVar, Literal, Protocol, runtime_checkable

from pydantic import Field, create_model, model_validator

from harness.base import registry
from harness.base.strict import Sparse, Strict
from harness.base.units import Percentage
from harness.vocabulary.events import Afterwards, Committed, Event, Impaired, Injected
from harness.vocabulary.instructions import (
    BeginInProcess,
    EndInProcess,
    Impair,
    Impairment,
    Instruction,
    Restore,
    Way,
)
from harness.vocabulary.job_bounds import JobBounds, Refusal
from harness.vocabulary.receipts import Evidence
from harness.vocabulary.schedule import At, Chance, Every, For, Select, WallTime

Kind = Literal["process", "worker", "link"]
Proof = tuple[bool, str]
"""Whether it happened, by its own action, and the evidence in a sentence."""

Tolerance = Annotated[
    Percentage, Field(gt=0, le=1, description="of the dose; a measured one that is off by more makes the run invalid")
]
Share = Annotated[Percentage, Field(gt=0, le=1)]
Element = Annotated[
    int, Field(ge=0, strict=True, description="which of the flattened gradient; beyond its end, the last")
]


@dataclass(frozen=True)
class Life:
    """When a fault is over, and what becomes of its subject.

    duration: how long it lasts; None is for good.
    terminates: the process is meant to end of it.
    instantaneous: it is over as soon as it has begun.
    at_startup: it belongs to the start of its process and has no time of its own.
    withholds: the process is not started with the others.
    suspends: the process stands still from beginning to end.
    restart_after: seconds after which what it ended or withheld is started; None is never.
    whole_job: every process shares the fate of the selected one.
    slowdown: how many times as long a step may take while it is in force.
    """

    duration: For | WallTime | None = None
    terminates: bool = False
    instantaneous: bool = False
    at_startup: bool = False
    withholds: bool = False
    suspends: bool = False
    restart_after: float | None = None
    whole_job: bool = False
    slowdown: float = 1.0

    @property
    def steps(self) -> int | None:
        """Steps that it lasts, where steps decide that."""
        return self.duration.steps if isinstance(self.duration, For) else None

    @property
    def seconds(self) -> float | None:
        """Seconds that it lasts, where the clock decides that."""
        return None if self.duration is None else self.duration.time


class Fault(Strict):
    """Base of all faults.

    ``kind`` is what it acts on: a process from outside, the work within it, or a link. ``evidence`` are the events
    that its receipt reads, beside `Injected` and `Healed`. ``needs`` are capabilities of the machine
    (`harness/execution/machine.py`) without which it cannot act. ``exclusive``: of two of its name on one subject, only
    the later one is in force. What only some faults do is in the protocols below.
    """

    name: ClassVar[str]
    kind: ClassVar[Kind] = "process"
    evidence: ClassVar[tuple[type[Event], ...]] = ()
    needs: ClassVar[tuple[str, ...]] = ()
    exclusive: ClassVar[bool] = False

    select: Select
    at: At | None = None
    every: Every | None = None
    random: Chance | None = None

    @model_validator(mode="after")
    def _triggered(self) -> Fault:
        given = sum(trigger is not None for trigger in (self.at, self.every, self.random))
        if self.life.at_startup and given:
            raise ValueError(f"{self.name} acts when its process starts; leave at, every and random out")
        if not self.life.at_startup and given != 1:
            raise ValueError("give one of at, every, random")
        return self

    @property
    def life(self) -> Life:
        """When it is over, and what becomes of its subject."""
        return Life()

    @abstractmethod
    def inject(self, subject: str, number: int) -> tuple[Instruction, ...]:
        """Begin the fault, which is the plan's ``number``-th, on a role or a host."""

    @abstractmethod
    def receipt(self, evidence: Evidence) -> Proof:
        """Judge whether the fault happened."""


@runtime_checkable
class Heals(Protocol):
    """A fault that can be undone."""

    def heal(self, subject: str, number: int) -> tuple[Instruction, ...]:
        """Return what ends the fault on its role or host."""
        ...


@runtime_checkable
class SeenHealed(Protocol):
    """A fault after which one can see whether all is as before."""

    def restored(self, evidence: Evidence) -> tuple[bool | None, str]:
        """Whether its subject was seen to be as before (None: there was nothing to see), and what was seen."""
        ...


@runtime_checkable
class Dosed(Protocol):
    """A fault that is asked for in a dose, within a ``tolerance`` that the scenario may change."""

    tolerance: float

    def dose(self, evidence: Evidence) -> tuple[bool | None, str]:
        """Whether the measured dose is the asked one (None: that cannot be measured so finely), and the numbers."""
        ...


@runtime_checkable
class CanBeIdle(Protocol):
    """A fault on what comes by, of which there may be nothing."""

    def idle(self, evidence: Evidence) -> bool:
        """Whether nothing came by that it could act on."""
        ...


@runtime_checkable
class Prepares(Protocol):
    """A fault that needs something before any process starts."""

    def prepare(self, folder: str) -> tuple[Instruction, ...]:
        """Make it in ``folder``, in which the processes will run."""
        ...


@runtime_checkable
class OnOwnDisk(Protocol):
    """A fault of a disk of ``disk`` bytes that its subject has for itself."""

    disk: int


@runtime_checkable
class Follows(Protocol):
    """A fault that goes on when its subject reports something."""

    def follow(self, event: Event) -> tuple[Instruction, ...]:
        """Return the next step of the fault, nothing where the event is none of its matter."""
        ...


@runtime_checkable
class ChangesStart(Protocol):
    """A fault on the environment with which a process starts."""

    def environment(self, env: Mapping[str, str]) -> Mapping[str, str]:
        """The environment in place of the topology's."""
        ...


@runtime_checkable
class DrawsSizes(Protocol):
    """A fault that gives batches other sizes."""

    def sizes(self, seed: int, steps: int) -> tuple[int, ...]:
        """The size of each step while it lasts."""
        ...


@runtime_checkable
class Refuses(Protocol):
    """A fault that cannot act in every job."""

    def refusals(self, job: JobBounds) -> Iterator[Refusal]:
        """Say why it cannot act in this one."""
        ...


@runtime_checkable
class ClashesWith(Protocol):
    """A fault that cannot be in every schedule with others of its name."""

    def clash(self, other: Fault) -> Refusal | None:
        """Say why it cannot be together with ``other``."""
        ...


class LastingFault(Fault):
    """Base of faults on one process that last for a while, or for good."""

    for_: For | None = Field(default=None, alias="for")

    @property
    def life(self) -> Life:
        return Life(self.for_)


class WorkerFault(Fault):
    """Base of faults that the worker commits itself, before an exact step, and gives account of.

    How is told in `harness/worker/faults/`, in a file of the fault's name.
    """

    kind: ClassVar[Kind] = "worker"
    evidence: ClassVar[tuple[type[Event], ...]] = (Committed,)
    unseen: ClassVar[str] = "the worker did not report that it committed it"
    for_: For | None = Field(default=None, alias="for")

    @model_validator(mode="after")
    def _committed_at_steps(self) -> WorkerFault:
        timed = (self.at is not None and self.at.step is None) or (self.every is not None and self.every.steps is None)
        if timed or (self.for_ is not None and self.for_.steps is None):
            raise ValueError(f"{self.name} is committed at a step; give steps, not times or events")
        if self.select.role not in (None, "worker"):
            raise ValueError(f"{self.name} is committed by a worker, not by the {self.select.role}")
        return self

    @property
    def life(self) -> Life:
        return Life(self.for_ or For(steps=1))

    def inject(self, subject: str, number: int) -> tuple[Instruction, ...]:
        return (BeginInProcess(subject, number),)

    def heal(self, subject: str, number: int) -> tuple[Instruction, ...]:
        """Let the worker end it; nothing where it ends the worker."""
        return () if self.life.terminates else (EndInProcess(subject, number),)

    def receipt(self, evidence: Evidence) -> Proof:
        """What was sent has another hash than what was computed, in all of its steps that were taken, and no others."""
        reports = evidence.all(Committed)
        steps = sorted({report.step for report in reports})
        refuted = self.off_its_steps(steps, evidence) or next(filter(None, map(self.refutation, reports)), None)
        if refuted is not None:
            return False, refuted
        first, lasts = reports[0], self.life.steps or len(steps)
        when = f"step {steps[0]}" if lasts == 1 else f"{len(steps)} of {lasts} steps, from {steps[0]}"
        hashes = f"SHA-256 {first.before[:8]} became {first.after[:8]}"
        return True, f"{when}: {first.what}: {first.detail}, {hashes}"

    def off_its_steps(self, steps: Sequence[int], evidence: Evidence) -> str | None:
        """Why steps in which it was committed, in order, are not all of its own that were taken; None where they are.

        A worker that resumed amid them took no others. Where it began again on another process, that one may have had
        nothing to act with in its first step; the first one always has.
        """
        if not steps or self.at is None or self.at.step is None or self.life.steps is None:
            return self.unseen
        planned = range(self.at.step, self.at.step + self.life.steps)
        first, *again = [event.step for event in evidence.all(Injected)] or [planned[0]]
        if not set(steps) <= set(planned) or steps[0] not in (first, *again, *(step + 1 for step in again if step)):
            return f"it was committed in steps {steps[0]} to {steps[-1]}, not in {planned[0]} to {planned[-1]}"
        missing = sorted(set(evidence.taken).intersection(planned).difference(steps, again))
        return f"it was not committed in {len(missing)} steps that were taken, as in {missing[0]}" if missing else None

    def refusals(self, job: JobBounds) -> Iterator[Refusal]:
        """Refuse a selection with other roles than workers."""
        others = [role for role in job.selected(self.select) if not role.startswith("worker/")]
        if others:
            yield ("select",), f"{self.name} is committed by a worker, not by {', '.join(others)}; give role: worker"

    def refutation(self, report: Committed) -> str | None:
        """Why a report does not prove the fault; None where it does."""
        return f"{report.what} of step {report.step} is unchanged" if report.before == report.after else None


class InputFault(WorkerFault):
    """Base of those that change batches, or when they come."""

    unseen: ClassVar[str] = (
        f"{WorkerFault.unseen}; it acts on batches, which a script has to fetch from a gluon DataLoader or a DataIter"
    )


class TensorFault(WorkerFault):
    """Base of faults on gradients, after the backward pass and before they are shared."""

    unseen: ClassVar[str] = (
        f"{WorkerFault.unseen}; it acts on gradients, which a script has to give to a gluon.Trainer or a Module"
    )
    parameter: str | None = Field(
        default=None, description="part of the parameter's name; its first match is hit, and the first one without it"
    )


class LinkFault(Fault):
    """Base of faults on the link of one host of a pocket cluster."""

    kind: ClassVar[Kind] = "link"
    evidence: ClassVar[tuple[type[Event], ...]] = (Impaired, Afterwards)
    direction: Literal["out", "in", "both"] = Field(default="both", description="from the host, to it, or both")
    peer: str | None = Field(default=None, description="only what goes to or comes from this host or role")
    for_: For | None = Field(default=None, alias="for")

    @property
    def life(self) -> Life:
        return Life(self.for_)

    @abstractmethod
    def impairment(self) -> Impairment:
        """Return what the fault does to each direction of the link that it impairs."""

    @abstractmethod
    def proof(self, report: Impaired) -> Proof:
        """Judge by one direction's counters whether it happened there."""

    def inject(self, subject: str, number: int) -> tuple[Instruction, ...]:
        return tuple(Impair(subject, number, way, self.impairment(), self.peer or "") for way in self.ways)

    def heal(self, subject: str, number: int) -> tuple[Instruction, ...]:
        """Return what lets the wire end the impairment and report its counters."""
        return (Restore(subject, number),)

    @property
    def ways(self) -> tuple[Way, ...]:
        """The directions of the link that the fault impairs, seen from the host."""
        return ("out", "in") if self.direction == "both" else (self.direction,)

    def doses(self, evidence: Evidence) -> tuple[bool | None, str]:
        """The `dose` of faults that measure one in ``fits(report)``: of every direction in which packets came by."""
        reports = [report for report in _by_way(evidence).values() if report.packets]
        judged = [(report.direction, *self.fits(report)) for report in reports]
        words = [fits for _, fits, _ in judged]
        fits = False if False in words else True if True in words else None
        sentences = list(dict.fromkeys(sentence for _, _, sentence in judged))
        return fits, "; ".join(sentences)

    def fits(self, report: Impaired) -> tuple[bool | None, str]:
        """Whether one direction had the asked dose, and the numbers; of faults without one nothing is said."""
        return None, ""

    def receipt(self, evidence: Evidence) -> Proof:
        """The wire's counters prove it for every direction in which packets came by, and for one at least."""
        reports = _by_way(evidence)
        proofs = [_proof(self, way, reports.get(way)) for way in self.ways]
        words = [proven for proven, _ in proofs]
        return True in words and False not in words, "; ".join(sentence for _, sentence in proofs)

    def idle(self, evidence: Evidence) -> bool:
        """Whether the wire reported, in every direction, that no packet came by."""
        reports = evidence.all(Impaired)
        return bool(reports) and not any(report.packets for report in reports)

    def restored(self, evidence: Evidence) -> tuple[bool | None, str]:
        """What passed after it, where no other fault was on the link."""
        later = {report.direction: report for report in evidence.all(Afterwards)}
        packets = sum(report.packets for report in later.values())
        lost = [report.lost for report in later.values()]
        if not packets:
            return None, "no packet came by after it"
        known = [count for count in lost if count is not None]
        if len(known) < len(lost):
            return None, f"{packets} packets passed after it; another fault was there, so that nobody can tell"
        return sum(known) == 0, f"{packets} packets passed after it, {sum(known)} were lost"

    def refusals(self, job: JobBounds) -> Iterator[Refusal]:
        """Refuse a peer that is neither a host nor a role of the job."""
        known = dict.fromkeys([*job.hosts, *job.hosts.values()])
        if self.peer is not None and self.peer not in known:
            yield ("peer",), f"there is no {self.peer!r}; there are {', '.join(known)}"


def _by_way(evidence: Evidence) -> dict[str, Impaired]:
    """What the wire tells of each direction: of all the times that the fault was in force there, as one."""
    reports: dict[str, Impaired] = {}
    for report in evidence.all(Impaired):
        before = reports.get(report.direction)
        reports[report.direction] = report if before is None else _joined(before, report)
    return reports


def _joined(first: Impaired, second: Impaired) -> Impaired:
    return replace(
        first,
        seconds=first.seconds + second.seconds,
        packets=first.packets + second.packets,
        touched=first.touched + second.touched,
        overtaken=first.overtaken + second.overtaken,
        delay=_mean(first.delay, first.packets, second.delay, second.packets),
        rate=_mean(first.rate, first.packets, second.rate, second.packets),
    )


def _mean(first: float | None, weight: int, second: float | None, other: int) -> float | None:
    known = [(value, count) for value, count in ((first, weight), (second, other)) if value is not None and count]
    return sum(value * count for value, count in known) / sum(count for _, count in known) if known else None


def _proof(fault: LinkFault, way: Way, report: Impaired | None) -> tuple[bool | None, str]:
    if report is None:
        return False, f"{way}: the wire reported nothing"
    if not report.packets:
        return None, f"{way}: no packet came by in {report.seconds:.3f} s"
    proven, sentence = fault.proof(report)
    return proven, f"{way}: {sentence}"


def checkpoint_refusals(fault: Fault, job: JobBounds) -> Iterator[Refusal]:
    """What all faults on checkpoints of the harness's own loop need."""
    if job.checkpoint_every is None:
        yield (), f"{fault.name} acts on checkpoints; give workload.checkpoint"
    elif job.selected(fault.select) != ["worker/0"]:
        yield ("select",), "checkpoints are written by worker 0; give role: worker, rank: 0"


class Entry(Sparse):
    """One entry of ``faults:``, a map of one fault's name to its parameters."""

    @model_validator(mode="after")
    def _one(self) -> Entry:
        names = list(type(self).model_fields)
        if sum(getattr(self, name) is not None for name in names) != 1:
            raise ValueError(f"is not one fault; allowed are {', '.join(names)}")
        return self

    @property
    def fault(self) -> Fault:
        """The fault that is given."""
        values = (getattr(self, name) for name in self.model_fields_set)
        return next(value for value in values if isinstance(value, Fault))

    def with_fault(self, fault: Fault) -> Entry:
        """The same entry with other parameters."""
        return self.model_copy(update={fault.name: fault})


def all_faults() -> dict[str, type[Fault]]:
    """Every fault there is, by name."""
    return registry.load(__name__, Fault)


def entry_model() -> type[Entry]:
    """An entry with a field for each fault."""
    fields: dict[str, Any] = {
        name: (part | None, Field(default=None, description=part.__doc__)) for name, part in all_faults().items()
    }
    return create_model("FaultEntry", __base__=Entry, __doc__=Entry.__doc__, **fields)
