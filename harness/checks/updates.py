"""Whether every update of every worker was applied once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar, Literal

from pydantic import ConfigDict

from harness.checks import Check, Finding, Word, word_schema
from harness.vocabulary.job_bounds import JobBounds
from harness.vocabulary.quantities import ArmMeasures


class Updates(Word, Check):
    """exact: the oracle (``training: oracle``) found no lost, doubled or misapplied update; or as another arm."""

    model_config = ConfigDict(json_schema_extra=word_schema("exact"))
    name: ClassVar[str] = "updates"
    is_: Literal["exact"] | None = None

    def refusals(self, jobs: Sequence[JobBounds]) -> Iterator[str]:
        if any(job.training != "oracle" for job in jobs):
            yield "updates are counted by the oracle; give workload.training: oracle"

    def judge(self, subject: ArmMeasures, baseline: ArmMeasures | None) -> Finding:
        misapplied = subject.get("misapplied_updates")
        if misapplied.value is None:
            return Finding("invalid", "only the oracle counts updates; give workload.training: oracle")
        if baseline is not None:
            return self._as(baseline, misapplied.value)
        if misapplied.value == 0:
            return Finding("pass", "every row shows the updates that its worker sent, no more and no less")
        return Finding("fail", f"{misapplied.value:.0f} rows show other updates than were sent: {misapplied.note}")

    def _as(self, baseline: ArmMeasures, mine: float) -> Finding:
        theirs = baseline.get("misapplied_updates").value
        if theirs is None:
            return Finding("invalid", f"the updates of {self.versus} were not counted")
        verdict: Literal["pass", "fail"] = "pass" if mine <= theirs else "fail"
        return Finding(verdict, f"{mine:.0f} rows show other updates than were sent, {theirs:.0f} in {self.versus}")
