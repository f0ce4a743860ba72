"""How the run should end; without it, a run should complete."""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import ConfigDict
from pydantic.config import JsonDict

from harness.checks import Check, Finding, Word
from harness.vocabulary.quantities import ArmMeasures

_SCHEMA: JsonDict = {
    "type": "string",
    "enum": ["completed", "crashed", "hung", "diverged", "refused"],
    "properties": {},
    "required": [],
}


class Outcome(Word, Check):
    """completed, crashed, hung, diverged or refused."""

    model_config = ConfigDict(json_schema_extra=_SCHEMA)
    name: ClassVar[str] = "outcome"
    is_: Literal["completed", "crashed", "hung", "diverged", "refused"]

    def judge(self, subject: ArmMeasures, baseline: ArmMeasures | None) -> Finding:
        if subject.ended is None:
            return Finding("invalid", "the history has no end")
        outcome, reason = subject.ended.outcome, subject.ended.reason
        if outcome in ("interrupted", "aborted"):
            return Finding("invalid", f"{outcome}: {reason}")
        verdict: Literal["pass", "fail"] = "pass" if outcome == self.is_ else "fail"
        wanted = "" if verdict == "pass" else f", expected {self.is_}"
        return Finding(verdict, f"{outcome}{wanted}: {reason}")
