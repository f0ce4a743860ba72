"""Memory, of every worker."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar

from pydantic import Field, model_validator

from harness.base.units import Percentage, Size, bytes_text
from harness.checks import Check, Finding, bounds, within, worst
from harness.statistics.comparison import MIN_POINTS
from harness.vocabulary.job_bounds import JobBounds
from harness.vocabulary.quantities import ArmMeasures, Quantity


class Memory(Check):
    """Peak resident memory, growth a thousand steps, and the share held beyond live arrays."""

    name: ClassVar[str] = "memory"
    peak_at_most: Size | None = None
    growth_at_most: Size | None = Field(default=None, description="per 1000 steps")
    beyond_live_at_most: Percentage | None = Field(default=None, description="of the memory held")

    @model_validator(mode="after")
    def _limited(self) -> Memory:
        if self.peak_at_most is self.growth_at_most is self.beyond_live_at_most is None:
            raise ValueError("give peak_at_most, growth_at_most or beyond_live_at_most")
        return self

    def refusals(self, jobs: Sequence[JobBounds]) -> Iterator[str]:
        if self.beyond_live_at_most is not None and not all(job.counts_live for job in jobs):
            yield "beyond_live_at_most needs workload.memory: live"
        if self.growth_at_most is not None and min(job.windows for job in jobs) < MIN_POINTS:
            yield f"growth_at_most needs {MIN_POINTS} windows after the warm-up; give more steps or a smaller window"

    def judge(self, subject: ArmMeasures, baseline: ArmMeasures | None) -> Finding:
        limits = (
            ("peak_memory", self.peak_at_most),
            ("memory_growth", self.growth_at_most),
            ("held_beyond_live_fraction", self.beyond_live_at_most),
        )
        findings = [_worst(subject.of_subjects(name), limit) for name, limit in limits if limit is not None]
        verdict = worst([finding.verdict for finding in findings])
        return Finding(verdict, "; ".join(finding.reason for finding in findings))


def _worst(quantities: Sequence[Quantity], limit: float) -> Finding:
    """Of all workers, the one that fares worst; among equals the one that holds most."""
    by_size = sorted(quantities, key=lambda quantity: quantity.value or 0.0, reverse=True)
    findings = [_judge(quantity, limit) for quantity in by_size]
    verdict = worst([finding.verdict for finding in findings])
    return next(finding for finding in findings if finding.verdict == verdict)


def _judge(quantity: Quantity, limit: float) -> Finding:
    what = quantity.name.replace("_", " ")
    if quantity.value is None:
        return Finding("invalid", f"{what} of {quantity.subject or 'any worker'} is not available: {quantity.note}")
    bounded = bounds(quantity)
    if bounded is None:
        return Finding("invalid", f"{what} of {quantity.subject} has no interval: {quantity.note}")
    low, high = bounded
    text = "{:.1%}".format if quantity.unit == "fraction" else bytes_text
    per = " per 1000 steps" if quantity.name == "memory_growth" else ""
    interval = f" ({text(low)} to {text(high)})" if low != high else ""
    sentence = f"{what} {text(quantity.value)}{interval}{per} in {quantity.subject}, expected at most {text(limit)}"
    return Finding(within(low, high, None, limit), sentence)
