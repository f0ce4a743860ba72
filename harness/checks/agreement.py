"""Whether all workers end with the same parameters."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar, Literal

from pydantic import ConfigDict

from harness.checks import Check, Finding, Word
from harness.vocabulary.job_bounds import JobBounds
from harness.vocabulary.quantities import ArmMeasures


class Agreement(Word, Check):
    """true: the trained parameters of all workers, on all their contexts, have one SHA-256 digest at the end."""

    model_config = ConfigDict(json_schema_extra={"type": "boolean", "const": True, "properties": {}, "required": []})
    name: ClassVar[str] = "agreement"
    is_: Literal[True]

    def refusals(self, jobs: Sequence[JobBounds]) -> Iterator[str]:
        if any(job.copies < 2 for job in jobs):
            yield "one worker with one copy of the weights has nobody to agree with"

    def judge(self, subject: ArmMeasures, baseline: ArmMeasures | None) -> Finding:
        digests = subject.get("different_weights")
        if digests.value is None:
            return Finding("invalid", f"agreement cannot be judged: {digests.note}")
        if digests.value == 1:
            return Finding("pass", f"{digests.n} copies of the weights are the same, bit by bit ({digests.note[:12]})")
        return Finding("fail", f"{digests.n} copies of the weights are of {digests.value:.0f} kinds: {digests.note}")
