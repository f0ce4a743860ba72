"""Throughput against another arm: the ratio of median windows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar, Literal

from pydantic import Field

from harness.checks import Check, Finding, Limits, within
from harness.statistics.comparison import MIN_SAMPLES
from harness.statistics.series import coarsened
from harness.vocabulary.job_bounds import JobBounds
from harness.vocabulary.quantities import ArmMeasures


class Throughput(Limits, Check):
    """Samples a second of this arm as a percentage of another's."""

    name: ClassVar[str] = "throughput"
    versus: str = Field(description="control, or the name of a variant")
    during: Literal["all", "fault"] = Field(default="all", description="all windows, or those within faults")

    def refusals(self, jobs: Sequence[JobBounds]) -> Iterator[str]:
        if self.during == "fault" and not all(job.faults for job in jobs):
            yield "during: fault needs a fault in every arm that is judged"
        if min(job.windows for job in jobs) < MIN_SAMPLES:
            yield f"throughput needs {MIN_SAMPLES} windows after the warm-up; give more steps or a smaller window"

    def judge(self, subject: ArmMeasures, baseline: ArmMeasures | None) -> Finding:
        from harness.statistics.compare import ratio_of_medians  # a tenth of a second that only judging pays

        assert baseline is not None
        mine = subject.get("throughput_in_fault" if self.during == "fault" else "throughput")
        theirs = baseline.get("throughput")
        stride = max(mine.stride, theirs.stride)
        ratio = ratio_of_medians(
            *(coarsened(quantity.samples, stride // quantity.stride) for quantity in (mine, theirs))
        )
        if ratio is None:
            why = mine.note or theirs.note or f"{mine.n} and {theirs.n} windows, at least {MIN_SAMPLES} are needed"
            return Finding("invalid", f"throughput cannot be compared with {self.versus}: {why}")
        verdict = within(ratio.low, ratio.high, self.at_least, self.at_most)
        sentence = f"{ratio.estimate:.1%} of {self.versus} ({ratio.low:.1%} to {ratio.high:.1%}, {ratio.n} windows)"
        sentence += f"; {self.expected}; detectable: ±{ratio.detectable:.1%}"
        if verdict == "invalid":
            sentence += "; the interval lies across the limit, so more steps are needed"
        return Finding(verdict, sentence, ratio)
