"""Whether every update of every worker was applied once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import mean
from typing import ClassVar, Literal

from pydantic import ConfigDict

from harness.checks import BETWEEN_RUNS, Check, Finding, Word, cut_short, within, word_schema
from harness.statistics.compare import MIN_REPEATS, difference_of_pairs
from harness.statistics.comparison import Spread
from harness.statistics.sequential import enough_alike
from harness.vocabulary.job_bounds import JobBounds
from harness.vocabulary.quantities import ArmMeasures

_ALL_SHOWN = "every row shows the updates that its worker sent, no more and no less"
_ALIKE = enough_alike(0.05)
"""Repeats that all differ by as much, below which that may be chance."""


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
        if misapplied.value == 0 and (short := cut_short([subject])):
            return Finding("invalid", f"no row shows other updates than were sent until then, but {short}")
        if misapplied.value == 0:
            return Finding("pass", _ALL_SHOWN)
        return Finding("fail", f"{misapplied.value:.0f} rows show other updates than were sent: {misapplied.note}")

    def judge_repeats(
        self, subjects: Sequence[ArmMeasures], baselines: Sequence[ArmMeasures], between: Spread = BETWEEN_RUNS
    ) -> Finding:
        """Against another arm: none in any repeat, or over three of them no more than there; of equal ones over six."""
        if self.versus is None:
            return super().judge_repeats(subjects, baselines, between)
        mine, theirs = ([arm.get("misapplied_updates").value for arm in arms] for arms in (subjects, baselines))
        if None in (*mine, *theirs):
            return Finding("invalid", f"the updates of an arm were not counted, of {subjects[0].of} or {self.versus}")
        if short := cut_short([*subjects, *baselines]):
            return Finding("invalid", f"updates are not compared with {self.versus}: {short}")
        return self._compared([rows or 0.0 for rows in mine], [rows or 0.0 for rows in theirs])

    def _compared(self, mine: Sequence[float], theirs: Sequence[float]) -> Finding:
        if not any(mine):
            return Finding("pass", _ALL_SHOWN)
        told = f"{mean(mine):.3g} rows show other updates than were sent, {mean(theirs):.3g} in {self.versus}"
        alike = len(mine) > 1 and len({one - other for one, other in zip(mine, theirs, strict=True)}) == 1
        least = _ALIKE if alike else MIN_REPEATS
        if len(mine) < least:
            return Finding("invalid", f"{told}; give repeat: {least}, so that chance can be told")
        found = difference_of_pairs(mine, theirs)
        told += f" ({found.low:+.3g} to {found.high:+.3g}; {found.n} repeats of each)"
        return Finding(within(found.low, found.high, None, 0.0), told, found)
