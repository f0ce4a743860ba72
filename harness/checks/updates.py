"""Whether every update of every worker was applied once."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Literal

from pydantic import ConfigDict

from harness.checks import Check, Finding, Word

if TYPE_CHECKING:
    from harness.measures import ArmMeasures


class Updates(Word, Check):
    """exact: the oracle (``model: oracle``) found no lost, doubled or misapplied update."""

    model_config = ConfigDict(json_schema_extra={"type": "string", "const": "exact", "properties": {}, "required": []})
    name: ClassVar[str] = "updates"
    is_: Literal["exact"]

    def judge(self, subject: ArmMeasures, baseline: ArmMeasures | None) -> Finding:
        found = subject.get("misapplied_updates")
        if found.value is None:
            return Finding("invalid", "only the oracle counts updates; give workload.model: oracle")
        if found.value == 0:
            return Finding("pass", "every row shows the updates that its worker sent, no more and no less")
        return Finding("fail", f"{found.value:.0f} rows show other updates than were sent: {found.note}")
