"""Checks: pure judgements of measures. One file each.

A check says ``pass`` or ``fail`` only where the interval of the number lies wholly on one side of the limit; where it
lies across, the answer is ``invalid`` with what could have been detected.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from pydantic import Field, create_model

from harness import registry
from harness.statistics.compare import Comparison
from harness.strict import Sparse, Strict

if TYPE_CHECKING:
    from harness.measures import ArmMeasures

VerdictWord = Literal["pass", "fail", "invalid", "unknown"]
MAIN, CONTROL = "main", "control"
"""The arm of the scenario itself, and the same without faults."""

TAIL = 5
"""The final loss is that of the last fifth of the steps."""


@dataclass(frozen=True)
class Finding:
    """A verdict and why, in a sentence with the numbers."""

    verdict: VerdictWord
    reason: str
    comparison: Comparison | None = None


class Check(Strict):
    """Base of all checks; the fields are what the scenario expects."""

    name: ClassVar[str]

    @property
    def baseline(self) -> str | None:
        """The arm to compare with, if it compares."""
        return getattr(self, "versus", None)

    @abstractmethod
    def judge(self, subject: ArmMeasures, baseline: ArmMeasures | None) -> Finding:
        """Judge one arm; ``baseline`` is there when ``versus`` is."""


def within(low: float, high: float, at_least: float | None, at_most: float | None) -> VerdictWord:
    """Where an interval lies with regard to limits."""
    if (at_least is None or low >= at_least) and (at_most is None or high <= at_most):
        return "pass"
    if (at_least is not None and high < at_least) or (at_most is not None and low > at_most):
        return "fail"
    return "invalid"


def expect_model() -> type[Strict]:
    """The ``expect:`` of a scenario, a field for each check of this package."""
    fields: dict[str, Any] = {
        name: (part | None, Field(default=None, description=part.__doc__))
        for name, part in registry.load(__name__, Check).items()  # type: ignore[type-abstract]
    }
    return create_model("Expect", __base__=Sparse, __doc__="What must hold at the end.", **fields)


def given(expect: Strict) -> list[Check]:
    """The checks that an ``expect:`` asks for."""
    values = (getattr(expect, name) for name in type(expect).model_fields)
    return [value for value in values if isinstance(value, Check)]
