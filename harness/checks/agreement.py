"""Whether all workers end with the same parameters."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar, Literal

from pydantic import ConfigDict

from harness.checks import Check, Finding, Word, word_schema
from harness.vocabulary.job_bounds import JobBounds
from harness.vocabulary.quantities import ArmMeasures, Quantity


class Agreement(Word, Check):
    """true: the parameters of all workers, on all contexts, have one SHA-256 digest at the end; or as another arm's."""

    model_config = ConfigDict(json_schema_extra=word_schema(True))
    name: ClassVar[str] = "agreement"
    is_: Literal[True] | None = None

    def refusals(self, jobs: Sequence[JobBounds]) -> Iterator[str]:
        if self.versus is None and any(job.copies < 2 for job in jobs):
            yield "one worker with one copy of the weights has nobody to agree with"

    def judge(self, subject: ArmMeasures, baseline: ArmMeasures | None) -> Finding:
        digests = subject.get("different_weights")
        if digests.value is None:
            return Finding("invalid", f"agreement cannot be judged: {digests.note}")
        if digests.value == 1:
            agreed = f"{digests.n} copies of the weights are the same, bit by bit ({digests.note[:12]})"
            return Finding("pass", agreed) if baseline is None else self._as(baseline, digests)
        return Finding("fail", f"{digests.n} copies of the weights are of {digests.value:.0f} kinds: {digests.note}")

    def _as(self, baseline: ArmMeasures, mine: Quantity) -> Finding:
        """Whether another arm ended with the weights that all copies of this one have."""
        theirs = baseline.get("different_weights")
        if theirs.value is None:
            return Finding("invalid", f"the weights of {self.versus} are not known: {theirs.note}")
        if theirs.value != 1:
            return Finding("invalid", f"the weights of {self.versus} are of {theirs.value:.0f} kinds: {theirs.note}")
        if mine.note == theirs.note:
            return Finding("pass", f"the same weights as {self.versus}, bit by bit ({mine.note[:12]})")
        return Finding("fail", f"other weights ({mine.note[:12]}) than {self.versus} ({theirs.note[:12]})")
