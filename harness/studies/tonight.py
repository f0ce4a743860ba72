"""What a night has seen so far, of each scenario and suspicion."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from harness.judging.verdict import Verdict
from harness.studies import nights
from harness.studies.compare import Compare
from harness.studies.night_budget import Asked
from harness.studies.night_states import Seen
from harness.studies.study import Study
from harness.studies.suspicion import Suspect
from harness.studies.watched import Watched, look

RERUNS, OUTCOME_RERUNS = 2, 3
"""More runs of what a series, or an outcome, makes suspect."""


@dataclass(frozen=True)
class Tonight:
    """``watched``: scenarios by key. By trial, as they come: ``verdicts`` of runs, ``parts``, and why others failed."""

    asked: Asked
    watched: Mapping[str, Watched]
    facts: Mapping[str, Any]
    verdicts: Mapping[str, Verdict]
    parts: Mapping[str, Study]
    failures: Mapping[str, str]

    def of(self, suspect: Suspect) -> Watched:
        """The scenario that a suspicion is about."""
        return self.watched[suspect.watched]

    def done(self, key: str) -> bool:
        """Whether a trial is."""
        return key in self.verdicts or key in self.failures or key in self.parts

    def compared(self, key: str) -> Compare | None:
        """A comparison, once it is through."""
        study = self.parts.get(key)
        return study if isinstance(study, Compare) else None

    def of_rounds(self, key: str) -> list[Verdict]:
        """Of a scenario, those that there are."""
        names = (f"round-{number}-{key}" for number in range(1, self.asked.repeat + 1))
        return [self.verdicts[name] for name in names if name in self.verdicts]

    def of_runs(self, suspect: Suspect, count: int, times: int) -> list[Verdict]:
        """Of a suspicion, with so many changes."""
        names = [f"with-{count}-{number}-{suspect.part}" for number in range(1, times + 1)]
        return [self.verdicts[name] for name in names if name in self.verdicts]

    def numbers(self, key: str) -> dict[str, dict[str, list[float]]]:
        """Of each arm, by quantity: a number a round; of runs that can be trusted."""
        found: dict[str, dict[str, list[float]]] = {}
        for verdict in self.of_rounds(key):
            for arm, numbers in nights.numbers_of(verdict).items() if verdict.trusted else ():
                for quantity, value in numbers.items():
                    found.setdefault(arm, {}).setdefault(quantity, []).append(value)
        return found

    def outcomes(self, key: str) -> dict[str, list[str]]:
        """Of each arm: how it ended, round by round."""
        found: dict[str, list[str]] = {}
        for verdict in self.of_rounds(key):
            for arm, word in nights.outcomes_of(verdict).items():
                found.setdefault(arm, []).append(word)
        return found

    def seen(self, each: Watched) -> Seen:
        """What its state is told by."""
        rounds = (f"round-{number}-{each.key}" for number in range(1, self.asked.repeat + 1))
        failed = [self.failures[key] for key in rounds if key in self.failures]
        looks = {arm: self.look_at(each, arm) for arm in each.arms}
        keys = {arm: f"look-{look(arm, each.key)}" for arm in each.arms if each.can_be_looked_at(arm)}
        unlooked = [arm for arm, key in keys.items() if key not in self.parts and key not in self.failures]
        return Seen(each, self.of_rounds(each.key), failed, looks, unlooked)

    def look_at(self, each: Watched, arm: str) -> Compare | str:
        """The look at what changed, or why there is none."""
        key = f"look-{look(arm, each.key)}"
        return self.compared(key) or self.failures.get(key, self.asked.not_looked_at)
