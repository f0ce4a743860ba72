"""Throughput against another arm: the ratio of median windows, over all repeats."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar, Literal

from pydantic import Field

from harness.checks import BETWEEN_RUNS, Check, Finding, Limits, why_no_ratio
from harness.statistics.compare import Series, ratio
from harness.statistics.comparison import MIN_SAMPLES, Spread
from harness.statistics.series import coarsened
from harness.vocabulary.job_bounds import JobBounds
from harness.vocabulary.quantities import ArmMeasures, Quantity


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
        assert baseline is not None
        return self.judge_repeats([subject], [baseline])

    def judge_repeats(
        self, subjects: Sequence[ArmMeasures], baselines: Sequence[ArmMeasures], between: Spread = BETWEEN_RUNS
    ) -> Finding:
        name = "throughput_in_fault" if self.during == "fault" else "throughput"
        mine = [subject.get(name) for subject in subjects]
        theirs = [baseline.get("throughput") for baseline in baselines]
        longest = max(quantity.stride for quantity in (*mine, *theirs))
        alike = len({quantity.unit for quantity in (*mine, *theirs)}) < 2
        windows = _as_long(mine, longest), _as_long(theirs, longest)
        compared = ratio(*windows, between) if alike else None
        if compared is None:
            why = why_no_ratio(mine, theirs, windows)
            return Finding("invalid", f"throughput cannot be compared with {self.versus}: {why}")
        what = "throughput within faults, by windows," if self.during == "fault" else "throughput by windows"
        return self.finding(compared, what, self.versus, len(subjects))


def _as_long(quantities: Sequence[Quantity], longest: int) -> list[Series]:
    """Windows that are as long as those of the arm that has the longest."""
    return [coarsened(quantity.samples, longest // quantity.stride) for quantity in quantities]
