"""Distributions of sizes (side of an image, length of a sequence), drawn from a seed when the plan is made.

One file each. Draws use only ``random.Random.random``, whose sequence Python guarantees, so that a seed gives the same
sizes on every machine and version.
"""

from __future__ import annotations

import random
from abc import abstractmethod
from typing import Annotated, Any, ClassVar

from pydantic import Field

from harness.base import registry
from harness.base.strict import Strict

MAX_SIZE = 4096
PERIOD = 1000
"""Sizes drawn for a plan; longer runs go through them again."""

SizeInt = Annotated[int, Field(ge=1, le=MAX_SIZE, strict=True)]


class Distribution(Strict):
    """Base: ``distribution`` is the name, ``draw`` gives one size from a uniform number in [0, 1)."""

    name: ClassVar[str]

    @abstractmethod
    def draw(self, uniform: float) -> int:
        """One size."""

    @property
    def varies(self) -> bool:
        """Whether there can be more than one size."""
        return self.draw(0.0) != self.draw(1 - 1e-12)

    def sizes(self, seed: int, steps: int) -> tuple[int, ...]:
        """The size of each step; a step beyond the end takes them from the start again."""
        if not self.varies:
            return (self.draw(0.0),)
        uniform = random.Random(seed).random
        return tuple(self.draw(uniform()) for _ in range(min(steps, PERIOD)))


def all_shapes() -> dict[str, type[Distribution]]:
    """Every distribution there is, by name."""
    return registry.load(__name__, Distribution)


def annotation() -> Any:
    """The type of a ``shapes:`` field: any distribution of this package, told apart by its ``distribution`` key."""
    union: Any = None
    for part in all_shapes().values():
        union = part if union is None else union | part
    return Annotated[union, Field(discriminator="distribution")]
