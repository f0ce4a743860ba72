"""Whether training went where another arm's went: the loss over the last fifth of the steps, paired step by step."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import mean
from typing import ClassVar

from pydantic import Field

from harness.base.units import Percentage
from harness.checks import TAIL, Check, Finding, within
from harness.statistics.comparison import MIN_PAIRS, Comparison
from harness.vocabulary.job_bounds import JobBounds
from harness.vocabulary.quantities import ArmMeasures, Quantity


class Drift(Check):
    """Relative difference of the final loss from another arm's, both ways."""

    name: ClassVar[str] = "drift"
    versus: str = Field(description="control, or the name of a variant")
    at_most: Percentage

    def refusals(self, jobs: Sequence[JobBounds]) -> Iterator[str]:
        if min(job.steps for job in jobs) < TAIL * MIN_PAIRS:
            yield f"drift needs {TAIL * MIN_PAIRS} steps, of which the last fifth is compared"

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
            return Finding("invalid", f"no drift from {self.versus}: {_why_not(mine, theirs)}")
        verdict = within(drift.low, drift.high, -self.at_most, self.at_most)
        means = [mean(quantity.samples) for quantity in (mine, theirs)]
        sentence = f"final loss {means[0]:.4g} against {means[1]:.4g}: {drift.estimate:+.2%} "
        sentence += f"({drift.low:+.2%} to {drift.high:+.2%}, n={drift.n}); expected within ±{self.at_most:.2%}; "
        sentence += f"detectable: ±{drift.detectable:.2%}"
        if verdict == "invalid":
            sentence += "; the interval lies across the limit, so more steps are needed"
        return Finding(verdict, sentence, drift)


def compare_final_loss(subject: ArmMeasures, baseline: ArmMeasures) -> Comparison | None:
    """Relative difference of final losses, zero for equal weights; None where there is too little to compare."""
    mine, theirs = subject.get("final_loss"), baseline.get("final_loss")
    if _same_weights(subject, baseline):
        return Comparison(0.0, 0.0, 0.0, mine.n)
    from harness.statistics.compare import relative_difference  # a tenth of a second that only judging pays

    return relative_difference(mine.samples, theirs.samples)


def _why_not(mine: Quantity, theirs: Quantity) -> str:
    if mine.n != theirs.n:
        return f"their final losses are of {mine.n} and {theirs.n} steps; give both the same steps"
    if mine.n < MIN_PAIRS:
        return f"{mine.n} final losses, at least {MIN_PAIRS} are needed; that takes {TAIL * MIN_PAIRS} steps"
    return "a loss is not finite, or all losses to compare with are zero"


def _same_weights(subject: ArmMeasures, baseline: ArmMeasures) -> bool:
    mine, theirs = subject.get("different_weights"), baseline.get("different_weights")
    return mine.value == theirs.value == 1 and mine.note == theirs.note
