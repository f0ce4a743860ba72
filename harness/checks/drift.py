"""Whether training went where another arm's went: the loss over the last fifth of the steps, paired step by step."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from pydantic import Field

from harness.checks import Check, Finding, within
from harness.statistics.compare import Comparison, relative_difference
from harness.units import Percentage

if TYPE_CHECKING:
    from harness.measures import ArmMeasures


class Drift(Check):
    """Relative difference of the final loss from another arm's, both ways."""

    name: ClassVar[str] = "drift"
    versus: str = Field(description="control, or the name of a variant")
    at_most: Percentage

    def judge(self, subject: ArmMeasures, baseline: ArmMeasures | None) -> Finding:
        assert baseline is not None
        mine, theirs = subject.get("final_loss"), baseline.get("final_loss")
        for quantity, arm in ((mine, subject.arm), (theirs, baseline.arm)):
            if quantity.value is None:
                return Finding("invalid", f"no final loss of {arm}: {quantity.note}")
        if _same_weights(subject, baseline):
            return Finding("pass", f"none: the same weights as {self.versus}, bit by bit")
        drift = compare_final_loss(subject, baseline)
        if drift is None:
            return Finding("invalid", f"{min(mine.n, theirs.n)} final losses are too few to compare")
        verdict = within(drift.low, drift.high, -self.at_most, self.at_most)
        said = f"final loss {mine.value:.4g} against {theirs.value:.4g}: {drift.estimate:+.2%} "
        said += f"({drift.low:+.2%} to {drift.high:+.2%}, {drift.n} steps); expected within ±{self.at_most:.2%}"
        if verdict == "invalid":
            said += "; the interval lies across the limit, so more steps are needed"
        return Finding(verdict, said)


def compare_final_loss(subject: ArmMeasures, baseline: ArmMeasures) -> Comparison | None:
    """Relative difference of final losses, zero for equal weights; None where there is too little to compare."""
    mine, theirs = subject.get("final_loss"), baseline.get("final_loss")
    if _same_weights(subject, baseline):
        return Comparison(0.0, 0.0, 0.0, mine.n)
    return relative_difference(mine.samples, theirs.samples)


def _same_weights(subject: ArmMeasures, baseline: ArmMeasures) -> bool:
    mine, theirs = subject.get("different_weights"), baseline.get("different_weights")
    return mine.value == theirs.value == 1 and mine.note == theirs.note
