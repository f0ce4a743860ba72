"""Whether all workers end with the same parameters."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar, Literal

from pydantic import ConfigDict

from harness.checks import BETWEEN_RUNS, Check, Finding, Word, word_schema
from harness.statistics.comparison import Spread
from harness.vocabulary.job_bounds import JobBounds
from harness.vocabulary.quantities import ArmMeasures


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
            return Finding("pass", f"{digests.n} copies of the weights are the same, bit by bit ({digests.note[:12]})")
        return Finding("fail", f"{digests.n} copies of the weights are of {digests.value:.0f} kinds: {digests.note}")

    def judge_repeats(
        self, subjects: Sequence[ArmMeasures], baselines: Sequence[ArmMeasures], between: Spread = BETWEEN_RUNS
    ) -> Finding:
        """Against another arm: equal says so; other weights say something where that one repeats itself."""
        if self.versus is None:
            return super().judge_repeats(subjects, baselines, between)
        for arm in (*baselines, *subjects):
            weights = arm.get("different_weights")
            if weights.value is None:
                return Finding("invalid", f"the weights of {arm.arm} are not known: {weights.note}")
            if weights.value != 1:
                verdict: Literal["invalid", "fail"] = "invalid" if arm.of == self.versus else "fail"
                return Finding(verdict, f"the weights of {arm.arm} are of {weights.value:.0f} kinds: {weights.note}")
        pairs = list(zip(map(_digest, subjects), map(_digest, baselines), strict=True))
        parted = [(mine, theirs) for mine, theirs in pairs if mine != theirs]
        if not parted:
            return Finding("pass", f"the same weights as {self.versus}, bit by bit ({pairs[0][0][:12]})")
        told = f"other weights ({parted[0][0][:12]}) than {self.versus} ({parted[0][1][:12]})"
        if (again := _repeats_itself(baselines)) is None:
            return Finding("invalid", f"{told}, which may not repeat itself: give repeat: 2, with one seed")
        return Finding("fail", told) if again else Finding("invalid", f"{told}, which does not repeat itself either")


def _digest(arm: ArmMeasures) -> str:
    return arm.get("different_weights").note


def _repeats_itself(arms: Sequence[ArmMeasures]) -> bool | None:
    """Whether runs with the same seed end with the same weights; None where no seed was run twice."""
    by_seed = {arm.seed: {_digest(other) for other in arms if other.seed == arm.seed} for arm in arms}
    return None if len(by_seed) == len(arms) else all(len(digests) == 1 for digests in by_seed.values())
