"""Throughput against another arm: the ratio of median windows."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Literal

from pydantic import Field, model_validator

from harness.checks import Check, Finding, within
from harness.statistics.compare import MIN_SAMPLES, ratio_of_medians
from harness.statistics.series import coarsened
from harness.units import Percentage

if TYPE_CHECKING:
    from harness.measures import ArmMeasures


class Throughput(Check):
    """Samples a second of this arm as a percentage of another's."""

    name: ClassVar[str] = "throughput"
    versus: str = Field(description="control, or the name of a variant")
    at_least: Percentage | None = None
    at_most: Percentage | None = None
    during: Literal["all", "fault"] = Field(default="all", description="all windows, or those within faults")

    @model_validator(mode="after")
    def _limited(self) -> Throughput:
        if self.at_least is None and self.at_most is None:
            raise ValueError("give at_least, at_most or both")
        if self.at_least is not None and self.at_most is not None and self.at_least > self.at_most:
            raise ValueError(f"at_least {self.at_least:.1%} is above at_most {self.at_most:.1%}")
        return self

    def judge(self, subject: ArmMeasures, baseline: ArmMeasures | None) -> Finding:
        assert baseline is not None
        mine = subject.get("throughput_in_fault" if self.during == "fault" else "throughput")
        theirs = baseline.get("throughput")
        stride = max(mine.stride, theirs.stride)
        ratio = ratio_of_medians(*(coarsened(one.samples, stride // one.stride) for one in (mine, theirs)))
        if ratio is None:
            why = mine.note or theirs.note or f"{mine.n} and {theirs.n} windows, at least {MIN_SAMPLES} are needed"
            return Finding("invalid", f"throughput cannot be compared with {self.versus}: {why}")
        verdict = within(ratio.low, ratio.high, self.at_least, self.at_most)
        said = f"{ratio.estimate:.1%} of {self.versus} ({ratio.low:.1%} to {ratio.high:.1%}, {ratio.n} windows)"
        said += f"; {_limits(self.at_least, self.at_most)}; detectable: ±{ratio.detectable:.1%}"
        if verdict == "invalid":
            said += "; the interval lies across the limit, so more steps are needed"
        return Finding(verdict, said, ratio)


def _limits(at_least: float | None, at_most: float | None) -> str:
    pairs = (("at least", at_least), ("at most", at_most))
    return "expected " + " and ".join(f"{word} {limit:.1%}" for word, limit in pairs if limit is not None)
