"""Faults: each returns instructions and judges, from the history, whether it really happened. One file each.

A fault never acts by itself; the agent performs what it returns. Its receipt is read from evidence that the injecting
code does not control: the state in ``/proc``, the exit status that the kernel gave, the time of steps.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal, TypeVar

from pydantic import Field, create_model, model_validator

from harness import registry
from harness.events import Event, Exited, Impaired, Signalled, Throttled
from harness.instructions import Impair, Impairment, Instruction, Restore, Way
from harness.strict import Sparse, Strict
from harness.units import Duration, Percentage

Model = TypeVar("Model", bound=Sparse)
StepInt = Annotated[int, Field(ge=0, strict=True)]


class Select(Sparse):
    """Which process: its role and, where there are several, its rank."""

    role: Literal["worker", "server", "scheduler"]
    rank: Annotated[int, Field(ge=0, strict=True)] | None = None


class HostSelect(Sparse):
    """Which host: by name, or the one of a process."""

    host: str | None = None
    role: Literal["worker", "server", "scheduler"] | None = None
    rank: Annotated[int, Field(ge=0, strict=True)] | None = None

    @model_validator(mode="after")
    def _one(self) -> HostSelect:
        if self.host is not None and self.rank is not None:
            raise ValueError("give a host, or a role with its rank")
        return _exactly_one(self, "host", "role")


def process_of(select: Select | HostSelect) -> str:
    """The name of the role that is selected; "" where a host is."""
    if select.role is None:
        return ""
    return select.role if select.role == "scheduler" else f"{select.role}/{select.rank or 0}"


class At(Sparse):
    """When: before a step of the selected worker (of worker 0 for other roles), or seconds after the first step."""

    step: StepInt | None = None
    time: Duration | None = None

    @model_validator(mode="after")
    def _one(self) -> At:
        return _exactly_one(self, "step", "time")


class For(Sparse):
    """How long: a number of steps, counted as in ``at``, or a time."""

    steps: Annotated[int, Field(ge=1, strict=True)] | None = None
    time: Duration | None = None

    @model_validator(mode="after")
    def _one(self) -> For:
        return _exactly_one(self, "steps", "time")


Share = Annotated[Percentage, Field(gt=0, le=1)]


class WallTime(Strict):
    """How long, in time only."""

    time: Duration = Field(gt=0)


def _exactly_one(model: Model, *names: str) -> Model:
    if sum(getattr(model, name) is not None for name in names) != 1:
        raise ValueError(f"give one of {', '.join(names)}")
    return model


@dataclass(frozen=True)
class Receipt:
    """What independent evidence says of one fault on one role."""

    fault: int
    name: str
    role: str
    proven: bool
    evidence: str


@dataclass(frozen=True)
class Evidence:
    """What the history has of one role since the fault began.

    ``inside`` and ``outside``: seconds a step of the windows within the fault and (warm-up excluded) around it.
    """

    events: Sequence[Event]
    inside: Sequence[float]
    outside: Sequence[float]

    def signalled(self, name: str) -> Signalled | None:
        """The first signal of that name since the fault began, if any was sent."""
        return next((e for e in self.events if isinstance(e, Signalled) and e.signal == name), None)

    def impaired(self) -> Sequence[Impaired]:
        """What the wire reports of the fault, one for each direction."""
        return [e for e in self.events if isinstance(e, Impaired)]

    def throttled(self) -> Throttled | None:
        """The report of the throttle, if it ended."""
        return next((e for e in self.events if isinstance(e, Throttled)), None)

    def exited(self) -> Exited | None:
        """The end of the process, if it ended."""
        return next((e for e in self.events if isinstance(e, Exited)), None)


class Fault(Strict):
    """Base of all faults."""

    name: ClassVar[str]
    deadly: ClassVar[bool] = False
    """Whether the selected process is meant to die of it."""

    select: Select | HostSelect
    at: At

    @property
    def duration(self) -> For | WallTime | None:
        """How long it lasts; None is for good."""
        return None

    @property
    def slowdown(self) -> float:
        """How many times as long a step may take while it is in force."""
        return 1.0

    @abstractmethod
    def inject(self, role: str, number: int) -> tuple[Instruction, ...]:
        """What starts the fault, which is the plan's ``number``-th, on a role or a host."""

    def heal(self, role: str, number: int) -> tuple[Instruction, ...]:
        """What ends it; nothing where it cannot be undone."""
        return ()

    @abstractmethod
    def receipt(self, evidence: Evidence) -> tuple[bool, str]:
        """Whether it is proven that the fault happened, and the evidence in a sentence."""


class ProcessFault(Fault):
    """Base of faults on one process."""

    select: Select


class LinkFault(Fault):
    """Base of faults on the link of one host of a pocket cluster."""

    select: HostSelect
    direction: Literal["out", "in", "both"] = Field(default="both", description="from the host, to it, or both")
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
        return tuple(Impair(role, number, way, self.impairment()) for way in self.ways)

    def heal(self, role: str, number: int) -> tuple[Instruction, ...]:
        return (Restore(role, number),)

    @property
    def ways(self) -> tuple[Way, ...]:
        """The directions that it impairs."""
        return ("out", "in") if self.direction == "both" else (self.direction,)

    def receipt(self, evidence: Evidence) -> tuple[bool, str]:
        """The wire's counters prove it for every direction in which packets came by, and for one at least."""
        told = {report.direction: report for report in evidence.impaired()}
        proofs = [_proof(self, way, told.get(way)) for way in self.ways]
        verdicts = [proven for proven, _ in proofs]
        return True in verdicts and False not in verdicts, "; ".join(said for _, said in proofs)


def _proof(fault: LinkFault, way: Way, told: Impaired | None) -> tuple[bool | None, str]:
    if told is None:
        return False, f"{way}: the wire reported nothing"
    if not told.packets:
        return None, f"{way}: no packet came by in {told.seconds:.3f} s"
    proven, said = fault.proof(told)
    return proven, f"{way}: {said}"


def share_proof(told: Impaired, asked: float, what: str) -> tuple[bool, str]:
    """Whether as many packets were touched as chance allows for the asked share (four standard deviations)."""
    share = told.touched / told.packets
    spread = 4 * math.sqrt(asked * (1 - asked) / told.packets) + 1 / told.packets
    proven = told.touched > 0 and abs(share - asked) <= spread
    return proven, f"{told.touched} of {told.packets} packets {what} ({share:.2%}) in {told.seconds:.3f} s"


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


def entry_model() -> type[Entry]:
    """An entry with a field for each fault of this package."""
    fields: dict[str, Any] = {
        name: (part | None, Field(default=None, description=part.__doc__))
        for name, part in registry.load(__name__, Fault).items()  # type: ignore[type-abstract]
    }
    return create_model("FaultEntry", __base__=Entry, __doc__=Entry.__doc__, **fields)
