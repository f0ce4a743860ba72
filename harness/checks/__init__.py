"""Checks: pure judgements of measures. One file each.

A check says ``pass`` or ``fail`` only where the interval of the number lies wholly on one side of the limit; where it
lies across, the answer is ``invalid`` with what could have been detected.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from pydantic import Field, create_model, model_validator
from pydantic.config import JsonDict

from harness.base import registry
from harness.base.strict import Sparse, Strict
from harness.base.units import Percentage
from harness.statistics.compare import Series
from harness.statistics.comparison import MIN_SAMPLES, Comparison, Ratio, Spread
from harness.vocabulary.job_bounds import JobBounds
from harness.vocabulary.quantities import ArmMeasures, Quantity, different

VerdictWord = Literal["pass", "fail", "invalid", "unknown"]
_RANK: tuple[VerdictWord, ...] = ("fail", "unknown", "invalid", "pass")
MAIN, CONTROL = "main", "control"
"""The arm of the scenario itself, and the same without faults."""

BETWEEN_RUNS = Spread(0.09, "run to run", "a cautious default")
"""About what medians of one job scatter from run to run on a shared machine: 6 to 12 % (lenet, two cores, 12 runs)."""

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
    of_the_mean: ClassVar[bool] = False
    """Whether repeats are judged by their mean, from three on; else each is, and the worst decides."""

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

    def judge_repeats(
        self, subjects: Sequence[ArmMeasures], baselines: Sequence[ArmMeasures], between: Spread = BETWEEN_RUNS
    ) -> Finding:
        """Judge all repeats of an arm, in order: one by one, so that the worst decides; ``baselines`` may be empty.

        ``between``: what runs differ by, where repeats do not tell.
        """
        others = dict(enumerate(baselines))
        findings = [self.judge(one, others.get(number)) for number, one in enumerate(subjects)]
        verdict = worst([finding.verdict for finding in findings])
        found = [(one, finding) for one, finding in zip(subjects, findings, strict=True) if finding.verdict == verdict]
        arm, first = found[0]
        if len(subjects) == 1:
            return first
        which = f"all {len(found)}" if len(found) == len(subjects) else f"{len(found)} of {len(subjects)}"
        return Finding(verdict, f"{which} repeats; {arm.arm}: {first.reason}", first.comparison)


class Word(Sparse):
    """Part of checks that are a single word, kept in ``is_``, or as another arm has it: ``{versus: control}``."""

    is_: Any = None
    versus: str | None = Field(default=None, description="control, or the name of a variant")

    @model_validator(mode="before")
    @classmethod
    def _word(cls, value: Any) -> Any:
        known = isinstance(value, dict) and ("is_" in value or set(value) == {"versus"})
        return value if known else {"is_": value}

    @model_validator(mode="after")
    def _one(self) -> Word:
        if (self.is_ is None) == (self.versus is None):
            raise ValueError("give a word, or versus")
        return self


def word_schema(*words: str | bool) -> Callable[[JsonDict], None]:
    """The JSON schema of a check that is one of these words, or as another arm has it."""
    versus: JsonDict = {"versus": {"type": "string"}}
    other: JsonDict = {"type": "object", "properties": versus, "required": ["versus"], "additionalProperties": False}

    def as_written(schema: JsonDict) -> None:
        for key in set(schema) - {"title", "description"}:
            del schema[key]
        schema["anyOf"] = [{"enum": list(words)}, other]

    return as_written


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

    def finding(self, ratio: Ratio, what: str, versus: str, repeats: int) -> Finding:
        """Where the interval of a ratio lies with regard to the limits, and what helps where it lies across one."""
        compared = ratio.comparison
        verdict = within(compared.low, compared.high, self.at_least, self.at_most)
        is_open = math.isinf(compared.high)
        interval = f"{compared.low:.1%} to {'any number' if is_open else f'{compared.high:.1%}'}"
        sentence = f"{what} {compared.estimate:.1%} of {versus} ({interval}; {ratio.basis}); {self.expected}"
        sentence += "" if is_open else f"; detectable: ±{compared.detectable:.1%}"
        if verdict == "invalid":
            sentence += f"; the interval lies across the limit, {more('repeat', repeats)}"
        return Finding(verdict, sentence, compared)


def worst(words: Sequence[VerdictWord]) -> VerdictWord:
    """Fail outranks unknown outranks invalid outranks pass."""
    return min(words, key=_RANK.index)


def bounds(quantity: Quantity) -> tuple[float, float] | None:
    """Its interval; the range of its samples where they are too much alike for one; None with too few.

    Of bytes in use, which are counted exactly: that much was held in every window of this run.
    """
    if quantity.low is not None and quantity.high is not None:
        return quantity.low, quantity.high
    return (min(quantity.samples), max(quantity.samples)) if len(quantity.samples) >= MIN_SAMPLES else None


def cut_short(arms: Sequence[ArmMeasures]) -> str:
    """Which of them did not train to its end, so that its numbers are of fewer steps; "" where each did."""
    return next((f"{arm.arm} did not train to its end" for arm in arms if not _completed(arm)), "")


def _completed(arm: ArmMeasures) -> bool:
    return arm.ended is not None and arm.ended.outcome == "completed"


def why_no_ratio(
    mine: Sequence[Quantity], theirs: Sequence[Quantity], windows: tuple[Sequence[Series], Sequence[Series]]
) -> str:
    """What one of two arms lacks, of which these ``windows`` were compared."""
    missing = next((quantity for quantity in (*mine, *theirs) if quantity.value is None), None)
    if missing is not None:
        return missing.note or "nothing was measured"
    if len(units := {quantity.unit for quantity in (*mine, *theirs)}) > 1:
        return different(units)
    fewest = [min(map(len, series)) for series in windows]
    if min(fewest) < MIN_SAMPLES:
        return f"{fewest[0]} and {fewest[1]} windows, at least {MIN_SAMPLES} are needed"
    return next((quantity.note for quantity in (*mine, *theirs) if quantity.note and not quantity.value), "it is zero")


def more(field: Literal["repeat", "seeds"], count: int) -> str:
    """What would make an interval narrower: 5 repeats or 8 seeds at least, since Student's t of fewer is wide."""
    least, what = (5, "repeats") if field == "repeat" else (8, "seeds")
    return f"give {field}: {least}" if count < least else f"{count} {what} are too few"


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
