"""How much of the time workers compute."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import ClassVar

from pydantic import Field

from harness.checks import BETWEEN_RUNS, Check, Finding, Limits, within, worst
from harness.statistics.compare import ratio
from harness.statistics.comparison import MIN_SAMPLES, Spread, Z
from harness.vocabulary.job_bounds import JobBounds
from harness.vocabulary.quantities import ArmMeasures, Quantity


class Utilisation(Limits, Check):
    """Computing time over wall time: ``at_least`` for the least busy worker, ``at_most`` for the busiest."""

    name: ClassVar[str] = "utilisation"
    of_the_mean: ClassVar[bool] = True
    versus: str | None = Field(default=None, description="control, or a variant: as a percentage of what it is there")

    def refusals(self, jobs: Sequence[JobBounds]) -> Iterator[str]:
        if not all(job.phases for job in jobs):
            yield "utilisation needs workload.phases: true"

    def judge_repeats(
        self, subjects: Sequence[ArmMeasures], baselines: Sequence[ArmMeasures], between: Spread = BETWEEN_RUNS
    ) -> Finding:
        if self.versus is None:
            return super().judge_repeats(subjects, baselines, between)
        shares = [share for arm in (*subjects, *baselines) for share in arm.of_subjects("utilisation")]
        missing = next((share for share in shares if share.value is None), None)
        if missing is not None:
            return _not_available(missing)
        least, most = self.model_copy(update={"at_most": None}), self.model_copy(update={"at_least": None})
        findings = [
            limits.compared(which, subjects, baselines, max(between, BETWEEN_RUNS, key=lambda spread: spread.sd))
            for limits, which, limit in ((least, "least busy", self.at_least), (most, "busiest", self.at_most))
            if limit is not None
        ]
        word = worst([finding.verdict for finding in findings])
        return next(finding for finding in findings if finding.verdict == word)

    def compared(
        self, which: str, subjects: Sequence[ArmMeasures], baselines: Sequence[ArmMeasures], between: Spread
    ) -> Finding:
        """Of the least busy worker of each arm, or of the busiest.

        What calibrations tell is of step times: they make the spread no smaller.
        """
        pick = min if which == "least busy" else max
        mine, theirs = (
            [pick(arm.of_subjects("utilisation"), key=_value).samples for arm in arms] for arms in (subjects, baselines)
        )
        found = ratio(mine, theirs, between)
        if found is None:
            few = f"too few windows, {MIN_SAMPLES} are needed"
            return Finding("invalid", f"utilisation cannot be compared with {self.versus}: {few}")
        return self.finding(found, f"utilisation of the {which} worker", str(self.versus), len(subjects))

    def judge(self, subject: ArmMeasures, baseline: ArmMeasures | None) -> Finding:
        shares = [_bounded(share) for share in subject.of_subjects("utilisation")]
        missing = next((share for share in shares if share.low is None), None)
        if missing is not None:
            return _not_available(missing)
        lows, highs = ([getattr(share, end) or 0.0 for share in shares] for end in ("low", "high"))
        verdict = within(min(lows), max(highs), self.at_least, self.at_most)
        if verdict == "invalid" and self._missed(min(highs), max(lows)):
            verdict = "fail"
        least, most = self._beyond(shares) if verdict == "fail" else self._near(shares)
        sentence = " and ".join(dict.fromkeys(_text(share) for share in (least, most)))
        return Finding(verdict, f"{sentence}; {self.expected}")

    def _missed(self, least: float, most: float) -> bool:
        """One worker is wholly beyond its limit, whatever the others do."""
        return (self.at_least is not None and least < self.at_least) or (
            self.at_most is not None and most > self.at_most
        )

    def _beyond(self, shares: Sequence[Quantity]) -> tuple[Quantity, Quantity]:
        """The workers that are surely farthest beyond the limits."""
        return min(shares, key=lambda share: share.high or 0.0), max(shares, key=lambda share: share.low or 0.0)

    def _near(self, shares: Sequence[Quantity]) -> tuple[Quantity, Quantity]:
        """The workers that come nearest to the limits, or may go beyond them."""
        return min(shares, key=lambda share: share.low or 0.0), max(shares, key=lambda share: share.high or 0.0)


def _bounded(share: Quantity) -> Quantity:
    """Where windows are too alike for an interval: their range, and beyond it what runs differ by as a rule.

    No share is more than all.
    """
    if share.low is not None or len(share.samples) < MIN_SAMPLES:
        return share
    beyond = math.exp(Z * BETWEEN_RUNS.sd)
    return replace(share, low=min(share.samples) / beyond, high=min(1.0, max(share.samples) * beyond))


def _value(quantity: Quantity) -> float:
    return quantity.value or 0.0


def _text(quantity: Quantity) -> str:
    note = f"; {quantity.note}" if quantity.note else ""
    interval = f"({quantity.low:.1%} to {quantity.high:.1%}{note})"
    return f"{quantity.subject} computes {_value(quantity):.1%} of the time {interval}"


def _not_available(share: Quantity) -> Finding:
    return Finding("invalid", f"utilisation of {share.subject or 'any worker'} is not available: {share.note}")
