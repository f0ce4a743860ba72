"""Distributions of sizes (side of an image, length of a sequence), drawn from a seed when the plan is made.

One file each. Draws use only ``random.Random.random``, whose sequence Python guarantees, so that a seed gives the same
sizes on every machine and version.
"""

from __future__ import annotations

import random
from abc import abstractmethod
from collections.abc import Sequence
from statistics import NormalDist
from typing import Annotated, Any, ClassVar

from pydantic import Field, model_validator

from harness.base import registry
from harness.base.strict import Strict

MAX_SIZE = 4096
PERIOD = 1000
"""Sizes drawn for a plan; longer runs go through them again."""

_ALMOST_ONE = 1 - 1e-12

SizeInt = Annotated[int, Field(ge=1, le=MAX_SIZE, strict=True)]


class Distribution(Strict):
    """Base: ``distribution`` is the name, ``draw`` gives one size from a uniform number in [0, 1).

    What was drawn is padded: up to a multiple of ``round_to``, or to the next of ``buckets``.
    """

    name: ClassVar[str]
    round_to: SizeInt = Field(default=1, description="sizes are padded up to a multiple of it")
    buckets: Annotated[tuple[SizeInt, ...], Field(min_length=1, max_length=1000)] | None = Field(
        default=None, description="sizes are padded up to the next of these, as bucketing does"
    )

    @model_validator(mode="after")
    def _padded_one_way(self) -> Distribution:
        if self.buckets is not None and self.round_to != 1:
            raise ValueError("has round_to and buckets, which both say what sizes are padded to; leave one out")
        return self

    @abstractmethod
    def draw(self, uniform: float) -> int:
        """One size."""

    def extremes(self) -> tuple[int, int]:
        """The smallest and the largest size that can be drawn."""
        return self.draw(0.0), self.draw(_ALMOST_ONE)

    def refusal(self) -> str | None:
        """Why it cannot be used, where that is not seen from one of its fields."""
        largest = self.extremes()[1]
        if self.buckets is not None and max(self.buckets) < largest:
            return f"the largest bucket, {max(self.buckets)}, is below the largest size, {largest}"
        if self.buckets is None and -(-largest // self.round_to) * self.round_to > MAX_SIZE:
            return f"rounded to {self.round_to}, the largest size, {largest}, is beyond {MAX_SIZE}, the largest allowed"
        return None

    def drawn(self, seed: int, steps: int) -> tuple[int, ...]:
        """The size of each step before it is padded; a step beyond the end takes them from the start again."""
        if len(set(self.extremes())) == 1:
            return (self.draw(0.0),)
        uniform = random.Random(seed).random
        return tuple(self.draw(uniform()) for _ in range(min(steps, PERIOD)))

    def padded(self, size: int) -> int:
        """What a step computes with for a size; the size itself where no bucket is as large."""
        if self.buckets is not None:
            return min((bucket for bucket in self.buckets if bucket >= size), default=size)
        return -(-size // self.round_to) * self.round_to

    @property
    def varies(self) -> bool:
        """Whether a step can have another size than the one before."""
        return len({self.padded(size) for size in self.extremes()}) > 1

    def sizes(self, seed: int, steps: int) -> tuple[int, ...]:
        """What each step computes with."""
        return tuple(map(self.padded, self.drawn(seed, steps)))

    def padding(self, seed: int, steps: int, dimensions: int = 1) -> float:
        """The share of what is computed with that is padding: lengths, or with two dimensions the areas of squares."""
        drawn = self.drawn(seed, steps)
        both = (drawn, tuple(map(self.padded, drawn)))
        own, padded = (over([float(size) ** dimensions for size in sizes], steps) for sizes in both)
        return 1 - own / padded


def over(values: Sequence[float], steps: int) -> float:
    """The sum over so many steps, which go through them again and again."""
    whole, rest = divmod(steps, len(values))
    return whole * sum(values) + sum(values[:rest])


def all_shapes() -> dict[str, type[Distribution]]:
    """Every distribution there is, by name."""
    return registry.load(__name__, Distribution)


def annotation() -> Any:
    """The type of a ``shapes:`` field: any distribution of this package, told apart by its ``distribution`` key."""
    union: Any = None
    for part in all_shapes().values():
        union = part if union is None else union | part
    return Annotated[union, Field(discriminator="distribution")]


def standard_normal(uniform: float) -> float:
    """The standard normal's value at a uniform number."""
    return NormalDist().inv_cdf(min(max(uniform, 1 - _ALMOST_ONE), _ALMOST_ONE))
