"""A scenario run several times with one target, from other seeds: how often it passes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

import yaml

from harness.judging.verdict import Verdict
from harness.scenario.schema import SEEDS, Target
from harness.studies import sides
from harness.studies.study import Study, Trial

NONE = "no verdict"


class Again(Study):
    """``values``: the scenario, with all that it expects."""

    name: ClassVar[str] = "again"

    def __init__(self, values: Mapping[str, Any], target: Target, times: int) -> None:
        self._values, self._target, self._times = dict(values), target, times
        self.words: dict[str, str] = {}
        """The verdict of each run."""

        self.reasons: dict[str, str] = {}
        sides.checked(self._trial(0).text, "again")

    @property
    def question(self) -> Mapping[str, Any]:
        target = self._target.model_dump(mode="json", exclude_none=True)
        return {"values": self._values, "target": target, "times": self._times}

    @classmethod
    def asked(cls, question: Mapping[str, Any], results: Path) -> Again:
        return cls(question["values"], Target(**question["target"]), question["times"])

    @property
    def total(self) -> int:
        return self._times

    def wanted(self) -> Sequence[Trial]:
        return [trial for trial in map(self._trial, range(self._times)) if trial.key not in self.words]

    def _trial(self, number: int) -> Trial:
        seed = (self._values.get("seed", 0) + number) % SEEDS
        values = sides.aimed({**self._values, "seed": seed}, self._target)
        return Trial(f"run-{number + 1}", yaml.safe_dump(values, sort_keys=False, allow_unicode=True))

    def add(self, key: str, verdict: Verdict | None, failure: str) -> str:
        if key not in {f"run-{number + 1}" for number in range(self._times)}:
            raise LookupError(key)
        self.words[key] = verdict.verdict if verdict is not None else NONE
        self.reasons[key] = verdict.reason if verdict is not None else failure
        return f"{key}: {self.words[key]}: {self.reasons[key]}"

    @property
    def in_words(self) -> str:
        """As in ``pass 2 of 3, fail 1 of 3``."""
        counts = Counter(self.words.values())
        told = ", ".join(f"{word} {n} of {len(self.words)}" for word, n in counts.most_common())
        return f"{self._target}: {told or 'not run yet'}"

    def summary(self) -> Mapping[str, Any]:
        return {"words": self.words, "reasons": self.reasons}
