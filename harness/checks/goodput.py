"""Useful samples over all the time, faults and recovery included, against another arm's, over all repeats."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from pydantic import Field

from harness.checks import BETWEEN_RUNS, Check, Finding, Limits, why_no_ratio
from harness.statistics.compare import ratio
from harness.statistics.comparison import Spread
from harness.vocabulary.quantities import ArmMeasures


class Goodput(Limits, Check):
    """Goodput of this arm as a percentage of another's; steps that were done twice count once."""

    name: ClassVar[str] = "goodput"
    versus: str = Field(description="control, or the name of a variant")

    def judge(self, subject: ArmMeasures, baseline: ArmMeasures | None) -> Finding:
        assert baseline is not None
        return self.judge_repeats([subject], [baseline])

    def judge_repeats(
        self, subjects: Sequence[ArmMeasures], baselines: Sequence[ArmMeasures], between: Spread = BETWEEN_RUNS
    ) -> Finding:
        mine, theirs = ([arm.get("goodput") for arm in arms] for arms in (subjects, baselines))
        windows = [one.samples for one in mine], [one.samples for one in theirs]
        compared = ratio(*windows, between)
        if compared is None:
            why = why_no_ratio(mine, theirs, windows)
            return Finding("invalid", f"goodput cannot be compared with {self.versus}: {why}")
        return self.finding(compared, "goodput by the clock", self.versus, len(subjects))
