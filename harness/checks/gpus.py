"""The GPUs that an arm trains on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar, Literal

from pydantic import Field, model_validator

from harness.base.units import Size, bytes_text
from harness.checks import Check, Finding, worst
from harness.vocabulary.job_bounds import JobBounds
from harness.vocabulary.quantities import ArmMeasures, Quantity


class Gpus(Check):
    """No clock that fell, no critical error (Xid), and at most so much memory used, on every GPU of the job."""

    name: ClassVar[str] = "gpus"
    throttled: Literal[False] | None = Field(
        default=None, description="clocks are never lowered for power, heat or hardware"
    )
    errors: Literal[False] | None = Field(default=None, description="the driver tells no critical error, nor ECC")
    memory_at_most: Size | None = Field(default=None, description="of the whole GPU, by whomever")
    versus: str | None = Field(default=None, description="control, or a variant: at most so much more than there")

    @model_validator(mode="after")
    def _expects(self) -> Gpus:
        if self.throttled is self.errors is self.memory_at_most is None:
            raise ValueError("give throttled: false, errors: false or memory_at_most")
        return self

    def refusals(self, jobs: Sequence[JobBounds]) -> Iterator[str]:
        if not all(job.on_gpus for job in jobs):
            yield "gpus needs topology.contexts with a gpu(i)"

    def judge(self, subject: ArmMeasures, baseline: ArmMeasures | None) -> Finding:
        asked = [(quantity, limit) for name, limit in self._limits() for quantity in subject.of_subjects(name)]
        findings = [self._judge(*each, baseline) for each in asked if not _has_no_counter(each[0])]
        verdict = worst([finding.verdict for finding in findings])
        return Finding(verdict, "; ".join(finding.reason for finding in findings if finding.verdict == verdict))

    def _judge(self, quantity: Quantity, limit: float, baseline: ArmMeasures | None) -> Finding:
        """Against the limit, or against what another arm has on the same GPU and the limit more."""
        if baseline is None:
            return _judge(quantity, limit)
        theirs = baseline.get(quantity.name, quantity.subject)
        if theirs.value is None:
            what = theirs.name.replace("_", " ")
            return Finding("invalid", f"{what} of {self.versus} is not available: {theirs.note}")
        found = _judge(quantity, theirs.value + limit)
        return Finding(found.verdict, f"{found.reason}, from {self.versus}")

    def _limits(self) -> Iterator[tuple[str, float]]:
        if self.throttled is not None:
            yield "gpu_slowed", 0.0
        if self.errors is not None:
            yield from (("gpu_lost", 0.0), ("xid", 0.0), ("ecc_errors", 0.0))
        if self.memory_at_most is not None:
            yield "gpu_memory_peak", self.memory_at_most


def _has_no_counter(quantity: Quantity) -> bool:
    """Memory without ECC, as of GPUs for desktops, counts no errors, and is none."""
    return quantity.name == "ecc_errors" and quantity.value is None and quantity.note == "not supported"


def _judge(quantity: Quantity, limit: float) -> Finding:
    what = quantity.name.replace("_", " ")
    if quantity.value is None:
        return Finding("invalid", f"{what} of {quantity.subject or 'any GPU'} is not available: {quantity.note}")
    text = {"B": bytes_text, "fraction": "{:.1%}".format}.get(quantity.unit, "{:g}".format)
    note = f" ({quantity.note})" if quantity.note else ""
    sentence = f"{what} {text(quantity.value)} on {quantity.subject}{note}, expected at most {text(limit)}"
    return Finding("pass" if quantity.value <= limit else "fail", sentence)
