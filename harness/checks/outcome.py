"""How the run should end; without it, a run should complete."""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import ConfigDict

from harness.checks import Check, Finding, Word, word_schema
from harness.vocabulary.quantities import ArmMeasures


class Outcome(Word, Check):
    """completed, crashed, hung, diverged or refused; or the same as of another arm."""

    model_config = ConfigDict(json_schema_extra=word_schema("completed", "crashed", "hung", "diverged", "refused"))
    name: ClassVar[str] = "outcome"
    is_: Literal["completed", "crashed", "hung", "diverged", "refused"] | None = None

    def judge(self, subject: ArmMeasures, baseline: ArmMeasures | None) -> Finding:
        if subject.ended is None:
            return Finding("invalid", "the history has no end")
        outcome, reason = subject.ended.outcome, subject.ended.reason
        if outcome in ("interrupted", "aborted"):
            return Finding("invalid", f"{outcome}: {reason}")
        expected = self.is_ if baseline is None else baseline.ended and baseline.ended.outcome
        if baseline is not None and expected in (None, "interrupted", "aborted"):
            return Finding("invalid", f"{self.versus} has no outcome to compare with")
        verdict: Literal["pass", "fail"] = "pass" if outcome == expected else "fail"
        wanted = "" if verdict == "pass" else f", expected {expected}"
        if baseline is not None:
            wanted += f" as {self.versus}" if verdict == "pass" else f", as {self.versus} did"
        return Finding(verdict, f"{outcome}{wanted}: {reason}")
