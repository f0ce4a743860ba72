"""Faults: each returns instructions and judges, from the history, whether it really happened. One file each.

A fault never acts by itself; the agent or the worker performs what it returns. Its receipt is read from evidence that
the injecting code does not control: the state in ``/proc``, the exit status that the kernel gave, the time of steps,
hashes of what was sent.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field, create_model, model_validator

from harness import registry
from harness.events import Event, Impaired, Tampered
from harness.instructions import Impair, Impairment, Instruction, Restore, Tamper, Untamper, Way
from harness.receipts import Evidence
from harness.schedule import At, Chance, Every, For, Select, WallTime
from harness.strict import Sparse, Strict
from harness.units import Percentage

Share = Annotated[Percentage, Field(gt=0, le=1)]
Element = Annotated[
    int, Field(ge=0, strict=True, description="which of the flattened gradient; beyond its end, the last")
]


class Fault(Strict):
    """Base of all faults."""

    name: ClassVar[str]
    kind: ClassVar[Literal["process", "worker", "link"]] = "process"
    """What it acts on: a process from outside, the work within it, or a link."""

    deadly: ClassVar[bool] = False
    """Whether the selected process is meant to die of it."""

    momentary: ClassVar[bool] = False
    """Whether it is over as soon as it has begun."""

    stops: ClassVar[bool] = False
    """Whether the process stands still from its beginning to its end."""

    timeless: ClassVar[bool] = False
    """Whether it belongs to the start of its process, so that it has no time of its own."""

    select: Select
    at: At | None = None
    every: Every | None = None
    random: Chance | None = None

    @model_validator(mode="after")
    def _triggered(self) -> Fault:
        given = sum(trigger is not None for trigger in (self.at, self.every, self.random))
        if self.timeless and given:
            raise ValueError(f"{self.name} acts when its process starts; leave at, every and random out")
        if not self.timeless and given != 1:
            raise ValueError("give one of at, every, random")
        return self

    @property
    def duration(self) -> For | WallTime | None:
        """How long it lasts; None is for good."""
        return None

    @property
    def slowdown(self) -> float:
        """How many times as long a step may take while it is in force."""
        return 1.0

    @property
    def revival(self) -> float | None:
        """Seconds after which its victims are started again; None is never."""
        return None

    @property
    def whole_job(self) -> bool:
        """Whether every process is its victim, whichever was selected."""
        return False

    def environment(self, role: str, env: Mapping[str, str]) -> Mapping[str, str]:
        """The environment with which the selected process starts."""
        return env

    def prepare(self, folder: str) -> tuple[Instruction, ...]:
        """What must be there before any process starts; they will run in ``folder``."""
        return ()

    @abstractmethod
    def inject(self, role: str, number: int) -> tuple[Instruction, ...]:
        """What starts the fault, which is the plan's ``number``-th, on a role or a host."""

    def heal(self, role: str, number: int) -> tuple[Instruction, ...]:
        """What ends it; nothing where it cannot be undone."""
        return ()

    def follow(self, event: Event, role: str) -> tuple[Instruction, ...]:
        """What it does next when its victim reports something."""
        return ()

    @abstractmethod
    def receipt(self, evidence: Evidence) -> tuple[bool, str]:
        """Whether it is proven that the fault happened, and the evidence in a sentence."""

    def restored(self, evidence: Evidence) -> tuple[bool | None, str]:
        """Whether what it acted on was seen to be as before, once it was healed, and what was seen."""
        return None, ""


class ProcessFault(Fault):
    """Base of faults on one process."""


class LastingFault(ProcessFault):
    """Base of faults on one process that last for a while, or for good."""

    for_: For | None = Field(default=None, alias="for")

    @property
    def duration(self) -> For | None:
        return self.for_


class StartFault(ProcessFault):
    """Base of faults on the way a process starts."""

    timeless: ClassVar[bool] = True
    keeps_back: ClassVar[bool] = False
    """Whether the process is not started with the others."""


class WorkerFault(ProcessFault):
    """Base of faults that the worker commits itself, before an exact step, and gives account of."""

    kind: ClassVar[Literal["process", "worker", "link"]] = "worker"
    for_: For | None = Field(default=None, alias="for")

    @model_validator(mode="after")
    def _by_steps(self) -> WorkerFault:
        timed = [self.at and (self.at.time, self.at.event), self.every and (self.every.time, None)]
        if any(one is not None for pair in timed for one in pair or ()) or (self.for_ and self.for_.time is not None):
            raise ValueError(f"{self.name} is committed at a step; give steps, not times or events")
        if self.select.role not in (None, "worker"):
            raise ValueError(f"{self.name} is committed by a worker, not by the {self.select.role}")
        return self

    @property
    def duration(self) -> For | None:
        return self.for_ or For(steps=1)

    def inject(self, role: str, number: int) -> tuple[Instruction, ...]:
        return (Tamper(role, number),)

    def heal(self, role: str, number: int) -> tuple[Instruction, ...]:
        return (Untamper(role, number),)

    def receipt(self, evidence: Evidence) -> tuple[bool, str]:
        """What was sent has another hash than what was computed, from the first step on, in its steps only."""
        told = evidence.all(Tampered)
        steps = sorted({one.step for one in told})
        if not told or self.at is None or self.at.step is None or self.duration is None:
            return False, "the worker reported no tampering"
        wanted = range(self.at.step, self.at.step + (self.duration.steps or 1))
        if not set(steps) <= set(wanted) or steps[0] != wanted[0]:
            return False, f"steps {steps[0]} to {steps[-1]} were tampered with, not {wanted[0]} to {wanted[-1]}"
        flawed = next((problem for problem in map(self.flaw, told) if problem), None)
        said = f"step {steps[0]}" if len(wanted) == 1 else f"{len(steps)} of {len(wanted)} steps, from {steps[0]}"
        one = told[0]
        detail = f"{one.what}: {one.detail}, SHA-256 {one.before[:8]} became {one.after[:8]}"
        return flawed is None, f"{said}: {detail}" if flawed is None else flawed

    def sizes(self, seed: int, steps: int) -> tuple[int, ...]:
        """The size of each step while it lasts; nothing where it has none of its own."""
        return ()

    def flaw(self, told: Tampered) -> str | None:
        """Why a report does not prove the fault; None where it does."""
        return f"{told.what} of step {told.step} is unchanged" if told.before == told.after else None


class TensorFault(WorkerFault):
    """Base of faults on gradients, after the backward pass and before they are shared."""

    parameter: str | None = Field(
        default=None, description="part of the parameter's name; its first match is hit, and the first one without it"
    )


class LinkFault(Fault):
    """Base of faults on the link of one host of a pocket cluster."""

    kind: ClassVar[Literal["process", "worker", "link"]] = "link"
    direction: Literal["out", "in", "both"] = Field(default="both", description="from the host, to it, or both")
    peer: str | None = Field(default=None, description="only what goes to or comes from this host or role")
    for_: For | None = Field(default=None, alias="for")

    @property
    def duration(self) -> For | WallTime | None:
        return self.for_

    @abstractmethod
    def impairment(self) -> Impairment:
        """What it does to each direction."""

    @abstractmethod
    def proof(self, told: Impaired) -> tuple[bool, str]:
        """Whether one direction's counters prove it, and what they say."""

    def inject(self, role: str, number: int) -> tuple[Instruction, ...]:
        return tuple(Impair(role, number, way, self.impairment(), self.peer or "") for way in self.ways)

    def heal(self, role: str, number: int) -> tuple[Instruction, ...]:
        return (Restore(role, number),)

    @property
    def ways(self) -> tuple[Way, ...]:
        """The directions that it impairs."""
        return ("out", "in") if self.direction == "both" else (self.direction,)

    def receipt(self, evidence: Evidence) -> tuple[bool, str]:
        """The wire's counters prove it for every direction in which packets came by, and for one at least."""
        told = {report.direction: report for report in evidence.all(Impaired) if not report.after}
        proofs = [_proof(self, way, told.get(way)) for way in self.ways]
        verdicts = [proven for proven, _ in proofs]
        return True in verdicts and False not in verdicts, "; ".join(said for _, said in proofs)

    def restored(self, evidence: Evidence) -> tuple[bool | None, str]:
        """What passed after it: every packet in time, as far as this fault is concerned."""
        later = {report.direction: report for report in evidence.all(Impaired) if report.after}
        packets = sum(report.packets for report in later.values())
        lost = sum(report.touched for report in later.values())
        if not packets:
            return None, "no packet came by after it"
        return lost == 0, f"{packets} packets passed after it, {lost} were lost"


def _proof(fault: LinkFault, way: Way, told: Impaired | None) -> tuple[bool | None, str]:
    if told is None:
        return False, f"{way}: the wire reported nothing"
    if not told.packets:
        return None, f"{way}: no packet came by in {told.seconds:.3f} s"
    proven, said = fault.proof(told)
    return proven, f"{way}: {said}"


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
        values = (getattr(self, name) for name in type(self).model_fields)
        return next(value for value in values if isinstance(value, Fault))

    def with_fault(self, fault: Fault) -> Entry:
        """The same entry with other parameters."""
        return self.model_copy(update={fault.name: fault})


def entry_model() -> type[Entry]:
    """An entry with a field for each fault of this package."""
    fields: dict[str, Any] = {
        name: (part | None, Field(default=None, description=part.__doc__))
        for name, part in registry.load(__name__, Fault).items()  # type: ignore[type-abstract]
    }
    return create_model("FaultEntry", __base__=Entry, __doc__=Entry.__doc__, **fields)
