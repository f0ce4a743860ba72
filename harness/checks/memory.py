"""Memory, of every worker; or how much more than that of another arm."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import mean
from typing import ClassVar

from pydantic import Field, model_validator

from harness.base.units import Percentage, Size, bytes_text
from harness.checks import BETWEEN_RUNS, Check, Finding, bounds, cut_short, more, within, worst
from harness.statistics.compare import MIN_REPEATS, difference_of_pairs, ratio_of_singles
from harness.statistics.comparison import MIN_POINTS, Comparison, Spread
from harness.vocabulary.job_bounds import JobBounds
from harness.vocabulary.quantities import ArmMeasures, Quantity

PEAKS = Spread(0.05, "run to run", "a cautious default")
"""By which peaks of one job scatter: with libraries in them 0.5 % (resnet18 alone, 17 processes) to 4 % (on two workers
with dist_sync, 26 processes).
"""


class Memory(Check):
    """Peak (anonymous), growth a thousand steps, the share held beyond live arrays; or against another arm's."""

    name: ClassVar[str] = "memory"
    versus: str | None = Field(default=None, description="control, or a variant: limits are on what is more than there")
    at_most: Percentage | None = Field(default=None, description="peak memory as a percentage of that of versus")
    peak_at_most: Size | None = None
    growth_at_most: Size | None = Field(default=None, description="per 1000 steps")
    beyond_live_at_most: Percentage | None = Field(default=None, description="of the memory held")

    @model_validator(mode="after")
    def _limited(self) -> Memory:
        if self.at_most is not None:
            if self.versus is None:
                raise ValueError("at_most is a percentage of another arm's peak; give versus, or peak_at_most: 2GB")
            return self
        if self.peak_at_most is self.growth_at_most is self.beyond_live_at_most is None:
            raise ValueError("give peak_at_most, growth_at_most or beyond_live_at_most")
        return self

    def refusals(self, jobs: Sequence[JobBounds]) -> Iterator[str]:
        slow = any(limit is not None for _, limit in self._slow)
        if self.versus is not None and slow and jobs[0].repeats < MIN_REPEATS:
            yield f"growth and what is beyond live are compared over repeats; give repeat: {MIN_REPEATS}, or more"
        if self.beyond_live_at_most is not None and not all(job.counts_live for job in jobs):
            yield "beyond_live_at_most needs workload.memory: live"
        if self.growth_at_most is not None and min(job.windows for job in jobs) < MIN_POINTS:
            yield f"growth_at_most needs {MIN_POINTS} windows after the warm-up; give more steps or a smaller window"

    @property
    def _slow(self) -> tuple[tuple[str, float | None], ...]:
        """What only a series tells."""
        return ("memory_growth", self.growth_at_most), ("held_beyond_live_fraction", self.beyond_live_at_most)

    def judge(self, subject: ArmMeasures, baseline: ArmMeasures | None) -> Finding:
        limits = (("peak_memory", self.peak_at_most), *self._slow)
        return _together([_worst(subject.of_subjects(name), limit) for name, limit in limits if limit is not None])

    def judge_repeats(
        self, subjects: Sequence[ArmMeasures], baselines: Sequence[ArmMeasures], between: Spread = BETWEEN_RUNS
    ) -> Finding:
        if self.versus is None:
            return super().judge_repeats(subjects, baselines, between)
        return _together(list(self._compared(subjects, baselines)))

    def _compared(self, subjects: Sequence[ArmMeasures], baselines: Sequence[ArmMeasures]) -> Iterator[Finding]:
        """Each limit against the other arm, by the worker of either that fares worst."""
        if short := cut_short([*subjects, *baselines]):
            yield Finding("invalid", f"memory is not compared with {self.versus}: {short}")
            return
        asked = (("peak_memory", self.at_most if self.peak_at_most is None else self.peak_at_most), *self._slow)
        for name, limit in asked:
            if limit is None:
                continue
            every = [each for arm in (*subjects, *baselines) for each in arm.of_subjects(name)]
            missing = next((each for each in every if each.value is None), None)
            mine, theirs = ([arm.worst(name).value or 0.0 for arm in arms] for arms in (subjects, baselines))
            if missing is not None:
                yield _not_available(missing)
            elif name == "peak_memory":
                yield from self._peaks(mine, theirs)
            elif len(mine) < MIN_REPEATS:
                yield Finding("invalid", f"{_spoken(name)} is compared over repeats; give repeat: {MIN_REPEATS}")
            elif (vague := next((each for each in every if bounds(each) is None), None)) is not None:
                yield Finding("invalid", f"{_spoken(name)} of {vague.subject} has no interval: {vague.note}")
            else:
                yield self._differ(name, mine, theirs, limit)

    def _peaks(self, mine: list[float], theirs: list[float]) -> Iterator[Finding]:
        found = ratio_of_singles(mine, theirs, PEAKS)
        ratio, size = found.comparison, mean(theirs)
        if self.at_most is not None:
            yield self._limited_to(self.at_most, "peak_memory", ratio, found.basis, "of")
        if self.peak_at_most is not None and len(mine) >= MIN_REPEATS:
            yield self._differ("peak_memory", mine, theirs, self.peak_at_most)
        elif self.peak_at_most is not None:
            estimate, low, high = ((each - 1) * size for each in (ratio.estimate, ratio.low, ratio.high))
            beyond = Comparison(estimate, low, high, ratio.n)
            yield self._limited_to(self.peak_at_most, "peak_memory", beyond, found.basis)

    def _differ(self, name: str, mine: list[float], theirs: list[float], limit: float) -> Finding:
        found = difference_of_pairs(mine, theirs)
        return self._limited_to(limit, name, found, f"{found.n} repeats of each")

    def _limited_to(self, limit: float, name: str, found: Comparison, basis: str, how: str = "more than") -> Finding:
        """Where an interval lies: of what is more than another arm's, or of a percentage ``of`` that."""
        text = "{:.1%}".format if how == "of" or name.endswith("fraction") else bytes_text
        verdict = within(found.low, found.high, None, limit)
        sentence = f"{_spoken(name)} {text(found.estimate)} {how} {self.versus} "
        sentence += f"({text(found.low)} to {text(found.high)}; {basis}){_per(name)}, expected at most {text(limit)}"
        sentence += f"; detectable: ±{text(found.detectable)}"
        if verdict == "invalid":
            sentence += f"; the interval lies across the limit, {more('repeat', found.n)}"
        return Finding(verdict, sentence, found)


def _together(findings: Sequence[Finding]) -> Finding:
    verdict = worst([finding.verdict for finding in findings])
    return Finding(verdict, "; ".join(finding.reason for finding in findings))


def _worst(quantities: Sequence[Quantity], limit: float) -> Finding:
    """Of all workers, the one that fares worst; among equals the one that holds most."""
    by_size = sorted(quantities, key=lambda quantity: quantity.value or 0.0, reverse=True)
    findings = [_judge(quantity, limit) for quantity in by_size]
    verdict = worst([finding.verdict for finding in findings])
    return next(finding for finding in findings if finding.verdict == verdict)


def _judge(quantity: Quantity, limit: float) -> Finding:
    what = _spoken(quantity.name)
    if quantity.value is None:
        return _not_available(quantity)
    bounded = bounds(quantity)
    if bounded is None:
        return Finding("invalid", f"{what} of {quantity.subject} has no interval: {quantity.note}")
    low, high = bounded
    text = "{:.1%}".format if quantity.unit == "fraction" else bytes_text
    every = "" if quantity.low is not None else "in every window "
    interval = f" ({every}{text(low)} to {text(high)})" if low != high else ""
    sentence = f"{what} {text(quantity.value)}{interval}{_per(quantity.name)} in {quantity.subject}, "
    sentence += f"expected at most {text(limit)}"
    return Finding(within(low, high, None, limit), sentence)


def _not_available(quantity: Quantity) -> Finding:
    whom = quantity.subject or "any worker"
    return Finding("invalid", f"{_spoken(quantity.name)} of {whom} is not available: {quantity.note}")


def _spoken(name: str) -> str:
    return name.replace("_", " ")


def _per(name: str) -> str:
    return " per 1000 steps" if name == "memory_growth" else ""
