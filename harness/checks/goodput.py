"""Useful samples over all the time, faults and recovery included, against another arm's."""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field

from harness.checks import Check, Finding, Limits, within
from harness.statistics.comparison import Comparison
from harness.vocabulary.quantities import ArmMeasures


class Goodput(Limits, Check):
    """Goodput of this arm as a percentage of another's; steps that were done twice count once."""

    name: ClassVar[str] = "goodput"
    versus: str = Field(description="control, or the name of a variant")

    def judge(self, subject: ArmMeasures, baseline: ArmMeasures | None) -> Finding:
        assert baseline is not None
        mine, theirs = subject.get("goodput"), baseline.get("goodput")
        if not (mine.value and mine.low and mine.high and theirs.value and theirs.low and theirs.high):
            why = mine.note or theirs.note or "nothing was measured"
            return Finding("invalid", f"goodput cannot be compared with {self.versus}: {why}")
        ratio = Comparison(mine.value / theirs.value, mine.low / theirs.high, mine.high / theirs.low, mine.n)
        verdict = within(ratio.low, ratio.high, self.at_least, self.at_most)
        sentence = f"{ratio.estimate:.1%} of {self.versus} ({ratio.low:.1%} to {ratio.high:.1%}); {self.expected}"
        return Finding(verdict, f"{sentence}; detectable: ±{ratio.detectable:.1%}", ratio)
