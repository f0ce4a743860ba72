"""Faults: each returns instructions and judges, from the history, whether it really happened. One file each.

A fault never acts by itself; the agent performs what it returns. Its receipt is read from evidence that the injecting
code does not control: the state in ``/proc``, the exit status that the kernel gave, the time of steps.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal, TypeVar

from pydantic import Field, create_model, model_validator

from harness import registry
from harness.events import Event, Exited, Signalled, Throttled
from harness.instructions import Instruction
from harness.strict import Sparse, Strict
from harness.units import Duration

Model = TypeVar("Model", bound=Sparse)
StepInt = Annotated[int, Field(ge=0, strict=True)]


class Select(Sparse):
    """Which process: its role and, where there are several, its rank."""

    role: Literal["worker", "server", "scheduler"]
    rank: Annotated[int, Field(ge=0, strict=True)] | None = None


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

    select: Select
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
    def inject(self, role: str) -> tuple[Instruction, ...]:
        """What starts the fault."""

    def heal(self, role: str) -> tuple[Instruction, ...]:
        """What ends it; nothing where it cannot be undone."""
        return ()

    @abstractmethod
    def receipt(self, evidence: Evidence) -> tuple[bool, str]:
        """Whether it is proven that the fault happened, and the evidence in a sentence."""


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
