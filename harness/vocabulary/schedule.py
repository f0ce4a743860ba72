"""When a fault begins, how long it lasts and whom it meets: as people write it, before anything is decided."""

from __future__ import annotations

from typing import Annotated, Literal, TypeVar

from pydantic import Field, model_validator

from harness.base.strict import Sparse, Strict
from harness.base.units import Duration, Percentage

Model = TypeVar("Model", bound=Strict)
StepInt = Annotated[int, Field(ge=0, strict=True)]
PositiveInt = Annotated[int, Field(ge=1, strict=True)]
RoleWord = Literal["worker", "server", "scheduler"]
EventWord = Literal["checkpointed", "done", "exited", "resumed"]
"""What happens to a role that a fault may wait for: it wrote a checkpoint, finished, ended, or resumed."""


def exactly_one(model: Model, *names: str) -> Model:
    """The model, if one of the fields is given; ValueError otherwise."""
    if sum(getattr(model, name) is not None for name in names) != 1:
        raise ValueError(f"give one of {', '.join(names)}")
    return model


class Select(Sparse):
    """Which processes, or for faults on links, which hosts: by role, rank and host, and how many of those that fit."""

    role: RoleWord | None = None
    rank: StepInt | None = None
    host: str | None = None
    mode: Literal["one", "all", "fixed", "fixed-percent"] | None = Field(
        default=None, description="of those that fit; drawn from the seed. Without it, one must fit"
    )
    value: PositiveInt | Annotated[Percentage, Field(gt=0, le=1)] | None = Field(
        default=None, description="how many: a number for fixed, a percentage for fixed-percent"
    )

    @model_validator(mode="after")
    def _possible(self) -> Select:
        if self.role is None and self.host is None and self.mode is None:
            raise ValueError("give role, host or mode")
        if self.rank is not None and (self.role is None or self.role == "scheduler"):
            raise ValueError("rank is that of a worker or a server; give role")
        if (self.mode == "fixed") != isinstance(self.value, int) or (
            (self.mode == "fixed-percent") != isinstance(self.value, float)
        ):
            raise ValueError("mode: fixed needs a number as value, fixed-percent a percentage, and others have none")
        return self


def process(name: str) -> Select:
    """Selects the process of that name, as ``worker/1``."""
    role, _, rank = name.partition("/")
    return Select.model_validate({"role": role, **({"rank": int(rank)} if rank else {})})


class At(Sparse):
    """When: before a step of the selected worker (of worker 0 for other roles), seconds after the first step, or at
    an event of a role."""

    step: StepInt | None = None
    time: Duration | None = None
    event: EventWord | None = None
    of: str | None = Field(default=None, description="the role that the event is of; the selected one if left out")

    @model_validator(mode="after")
    def _one(self) -> At:
        if self.of is not None and self.event is None:
            raise ValueError("of names the role of an event; give event")
        return exactly_one(self, "step", "time", "event")


class Every(Sparse):
    """Again and again: before every so many steps, or so many seconds apart."""

    steps: PositiveInt | None = None
    time: Duration | None = Field(default=None, gt=0)
    times: Annotated[int, Field(ge=1, le=1000, strict=True)] | None = Field(
        default=None, description="how often at most; needed with time"
    )

    @model_validator(mode="after")
    def _one(self) -> Every:
        if self.time is not None and self.times is None:
            raise ValueError("time needs times, since nobody knows how long a run takes")
        return exactly_one(self, "steps", "time")


class Chance(Sparse):
    """At random, but the same each time: before each step after the warm-up with the chance ``rate``."""

    rate: Annotated[Percentage, Field(gt=0, le=1)]
    seed: StepInt | None = Field(default=None, description="of its own; the scenario's if left out")


class For(Sparse):
    """How long: a number of steps, counted as in ``at``, or a time."""

    steps: PositiveInt | None = None
    time: Duration | None = Field(default=None, gt=0)

    @model_validator(mode="after")
    def _one(self) -> For:
        return exactly_one(self, "steps", "time")


class WallTime(Strict):
    """How long, in time only."""

    time: Duration = Field(gt=0)
