"""Memory, of every worker."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar

from pydantic import Field, model_validator

from harness.base.units import Percentage, Size, bytes_text
from harness.checks import Check, Finding, VerdictWord, within
from harness.vocabulary.job_bounds import JobBounds
from harness.vocabulary.quantities import ArmMeasures, Quantity

_ORDER: tuple[VerdictWord, ...] = ("fail", "invalid", "pass")


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

    def judge(self, subject: ArmMeasures, baseline: ArmMeasures | None) -> Finding:
        limits = (
            ("peak_memory", self.peak_at_most),
            ("memory_growth", self.growth_at_most),
            ("held_beyond_live_fraction", self.beyond_live_at_most),
        )
        findings = [_worst(subject.of_subjects(name), limit) for name, limit in limits if limit is not None]
        verdict = min((finding.verdict for finding in findings), key=_ORDER.index)
        return Finding(verdict, "; ".join(finding.reason for finding in findings))


def _worst(quantities: Sequence[Quantity], limit: float) -> Finding:
    """Of all workers, the one that fares worst; among equals the one that holds most."""
    by_size = sorted(quantities, key=lambda quantity: quantity.value or 0.0, reverse=True)
    return min((_judge(quantity, limit) for quantity in by_size), key=lambda finding: _ORDER.index(finding.verdict))


def _judge(quantity: Quantity, limit: float) -> Finding:
    what = quantity.name.replace("_", " ")
    if quantity.value is None:
        return Finding("invalid", f"{what} of {quantity.subject or 'any worker'} is not available: {quantity.note}")
    low, high = quantity.low, quantity.high
    if low is None or high is None:
        return Finding("invalid", f"{what} of {quantity.subject}: {quantity.n} windows are too few for an interval")
    text = "{:.1%}".format if quantity.unit == "fraction" else bytes_text
    per = " per 1000 steps" if quantity.name == "memory_growth" else ""
    interval = f" ({text(low)} to {text(high)})" if low != high else ""
    sentence = f"{what} {text(quantity.value)}{interval}{per} in {quantity.subject}, expected at most {text(limit)}"
    return Finding(within(low, high, None, limit), sentence)
