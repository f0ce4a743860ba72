"""Checks: pure judgements of measures. One file each.

A check says ``pass`` or ``fail`` only where the interval of the number lies wholly on one side of the limit; where it
lies across, the answer is ``invalid`` with what could have been detected.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from pydantic import Field, create_model, model_validator

from harness.base import registry
from harness.base.strict import Sparse, Strict
from harness.base.units import Percentage
from harness.statistics.comparison import Comparison
from harness.vocabulary.job_bounds import JobBounds
from harness.vocabulary.quantities import ArmMeasures

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

    def refusals(self, jobs: Sequence[JobBounds]) -> Iterator[str]:
        """Say why it can never be judged on these arms."""
        return iter(())

    @abstractmethod
    def judge(self, subject: ArmMeasures, baseline: ArmMeasures | None) -> Finding:
        """Judge one arm; ``baseline`` is there when ``versus`` is."""


class Word(Strict):
    """Part of checks that are written as a single word, kept in ``is_``."""

    @model_validator(mode="before")
    @classmethod
    def _word(cls, value: Any) -> Any:
        return value if isinstance(value, dict) and "is_" in value else {"is_": value}


class Limits(Strict):
    """Part of checks on a share: the least, the most, or both."""

    at_least: Percentage | None = None
    at_most: Percentage | None = None

    @model_validator(mode="after")
    def _limited(self) -> Limits:
        if self.at_least is None and self.at_most is None:
            raise ValueError("give at_least, at_most or both")
        if self.at_least is not None and self.at_most is not None and self.at_least > self.at_most:
            raise ValueError(f"at_least {self.at_least:.1%} is above at_most {self.at_most:.1%}")
        return self

    @property
    def expected(self) -> str:
        """The limits in words."""
        pairs = (("at least", self.at_least), ("at most", self.at_most))
        return "expected " + " and ".join(f"{word} {limit:.1%}" for word, limit in pairs if limit is not None)


def within(low: float, high: float, at_least: float | None, at_most: float | None) -> VerdictWord:
    """Where an interval lies with regard to limits."""
    if (at_least is None or low >= at_least) and (at_most is None or high <= at_most):
        return "pass"
    if (at_least is not None and high < at_least) or (at_most is not None and low > at_most):
        return "fail"
    return "invalid"


def all_checks() -> dict[str, type[Check]]:
    """Every check there is, by name."""
    return registry.load(__name__, Check)


def expect_model() -> type[Strict]:
    """The ``expect:`` of a scenario, a field for each check of this package."""
    fields: dict[str, Any] = {
        name: (part | None, Field(default=None, description=part.__doc__)) for name, part in all_checks().items()
    }
    return create_model("Expect", __base__=Sparse, __doc__="What must hold at the end.", **fields)


def given(expect: Strict) -> list[Check]:
    """The checks that an ``expect:`` asks for."""
    values = (getattr(expect, name) for name in type(expect).model_fields)
    return [value for value in values if isinstance(value, Check)]
