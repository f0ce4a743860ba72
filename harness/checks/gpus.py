"""The GPUs that an arm trains on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar, Literal

from pydantic import Field, model_validator

from harness.base.units import Size, bytes_text
from harness.checks import BETWEEN_RUNS, Check, Finding, within, worst
from harness.statistics.compare import MIN_REPEATS, difference_of_pairs
from harness.statistics.comparison import Spread
from harness.vocabulary.job_bounds import JobBounds
from harness.vocabulary.quantities import ArmMeasures, Quantity

_COMPARED = ("gpu_slowed", "gpu_memory_peak")


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
        if self.versus is not None and self.errors is not None:
            raise ValueError("errors of a GPU are not compared with those of another arm; leave versus or errors out")
        return self

    def refusals(self, jobs: Sequence[JobBounds]) -> Iterator[str]:
        if not all(job.on_gpus for job in jobs):
            yield "gpus needs topology.contexts with a gpu(i)"
        if self.versus is not None and jobs[0].repeats < MIN_REPEATS:
            yield f"GPUs are compared over repeats; give repeat: {MIN_REPEATS}, or more"

    def judge(self, subject: ArmMeasures, baseline: ArmMeasures | None) -> Finding:
        asked = [(quantity, limit) for name, limit in self._limits() for quantity in subject.of_subjects(name)]
        findings = [_judge(*each) for each in asked if not _has_no_counter(each[0])]
        verdict = worst([finding.verdict for finding in findings])
        return Finding(verdict, "; ".join(finding.reason for finding in findings if finding.verdict == verdict))

    def judge_repeats(
        self, subjects: Sequence[ArmMeasures], baselines: Sequence[ArmMeasures], between: Spread = BETWEEN_RUNS
    ) -> Finding:
        """Against another arm: by how much more, over three repeats at least, on the GPU that fares worst."""
        if self.versus is None:
            return super().judge_repeats(subjects, baselines, between)
        if len(subjects) < MIN_REPEATS:
            return Finding("invalid", f"GPUs are compared over repeats; give repeat: {MIN_REPEATS}")
        asked = [each for each in self._limits() if each[0] in _COMPARED]
        findings = [self._compared(*each, subjects, baselines) for each in asked]
        verdict = worst([finding.verdict for finding in findings])
        return Finding(verdict, "; ".join(finding.reason for finding in findings if finding.verdict == verdict))

    def _compared(
        self, name: str, limit: float, subjects: Sequence[ArmMeasures], baselines: Sequence[ArmMeasures]
    ) -> Finding:
        every = [each for arm in (*subjects, *baselines) for each in arm.of_subjects(name)]
        what = name.replace("_", " ")
        if (missing := next((each for each in every if each.value is None), None)) is not None:
            return Finding("invalid", f"{what} of {missing.subject or 'any GPU'} is not available: {missing.note}")
        found = difference_of_pairs(*([arm.worst(name).value or 0.0 for arm in arms] for arms in (subjects, baselines)))
        text = bytes_text if name == "gpu_memory_peak" else "{:.1%}".format
        told = f"{what} {text(found.estimate)} more than {self.versus} ({text(found.low)} to {text(found.high)}; "
        told += f"{found.n} repeats of each), expected at most {text(limit)}"
        return Finding(within(found.low, found.high, None, limit), told, found)

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
