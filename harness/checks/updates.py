"""Whether every update of every worker was applied once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar, Literal

from pydantic import ConfigDict

from harness.checks import Check, Finding, Word
from harness.vocabulary.job_bounds import JobBounds
from harness.vocabulary.quantities import ArmMeasures


class Updates(Word, Check):
    """exact: the oracle (``training: oracle``) found no lost, doubled or misapplied update."""

    model_config = ConfigDict(json_schema_extra={"type": "string", "const": "exact", "properties": {}, "required": []})
    name: ClassVar[str] = "updates"
    is_: Literal["exact"]

    def refusals(self, jobs: Sequence[JobBounds]) -> Iterator[str]:
        if any(job.training != "oracle" for job in jobs):
            yield "updates are counted by the oracle; give workload.training: oracle"

    def judge(self, subject: ArmMeasures, baseline: ArmMeasures | None) -> Finding:
        misapplied = subject.get("misapplied_updates")
        if misapplied.value is None:
            return Finding("invalid", "only the oracle counts updates; give workload.training: oracle")
        if misapplied.value == 0:
            return Finding("pass", "every row shows the updates that its worker sent, no more and no less")
        return Finding("fail", f"{misapplied.value:.0f} rows show other updates than were sent: {misapplied.note}")
