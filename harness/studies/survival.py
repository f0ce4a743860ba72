"""Whether jobs survive the same faults with two targets: the table's cells, and scenarios with faults, in both.

A cell that ends otherwise is run again in both before it is told: what ends now so, now so, says nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

import yaml

from harness.base.errors import InputError
from harness.judging.verdict import Verdict
from harness.scenario.schema import SEEDS, Target
from harness.studies import sides, table
from harness.studies.row import Reason, Row, ordered
from harness.studies.study import Study, Trial
from harness.studies.table import FAILED, Cell, Result

SIDES = ("from", "to")
TITLE = "survives the same"
TIMES, MORE = 3, 5
"""How often a cell is run with either target once it ended otherwise.

And where most runs of the new one, or all, then ended worse than any of the old one: of 38 cells some end by chance,
now so, now so, and one of 1.9.1 beside itself did by three against three.
"""

TOPOLOGIES, FAULTS = ("dist_sync", "dist_async"), ("kill", "pause", "restart")
"""Columns and rows of the table that are run unless others are asked for; partitions take as long again."""

_WORST = (
    "completed", "completed, weights differ", "trained, hung at the exit", "crashed", "diverged", "refused", "hung",
)  # fmt: skip

_NO_ENDING = (FAILED, "aborted", "interrupted", "unknown")
"""Outcomes in which the harness failed, or nobody saw the end: they are no ending of the job."""


class Survival(Study):
    """``own``: scenarios with faults, as plain values by name, beside the table; no topologies, no table."""

    name: ClassVar[str] = "survival"

    def __init__(
        self,
        old: Target,
        new: Target,
        topologies: Sequence[str] = TOPOLOGIES,
        faults: Sequence[str] = FAULTS,
        own: Mapping[str, Mapping[str, Any]] | None = None,
    ) -> None:
        self.targets = {"from": old, "to": new}
        self._topologies, self._faults, self._own = list(topologies), list(faults), dict(own or {})
        known = table.cells(table.chosen_topologies(topologies), table.chosen_faults(faults)) if topologies else []
        self.cells = {cell.name: cell for cell in [*_cells(self._own), *known]}
        if len(self.cells) < len(self._own) + len(known):
            raise InputError("two scenarios with faults have names that differ in spaces or commas only; rename one")
        self._results: dict[str, Result] = {}

    @property
    def question(self) -> Mapping[str, Any]:
        targets = {name: target.model_dump(mode="json", exclude_none=True) for name, target in self.targets.items()}
        return {**targets, "topologies": self._topologies, "faults": self._faults, "own": self._own}

    @classmethod
    def asked(cls, question: Mapping[str, Any], results: Path) -> Survival:
        old, new = (Target(**question[side]) for side in SIDES)
        return cls(old, new, question["topologies"], question["faults"], question["own"])

    @property
    def total(self) -> int:
        return len(self._keys())

    def wanted(self) -> Sequence[Trial]:
        return [self._trial(key) for key in self._keys() if key not in self._results]

    def _keys(self) -> list[str]:
        """Both targets by turns; more of what ended otherwise, once every cell was run."""
        first = [_key(side, name, 1) for name in self.cells for side in SIDES]
        if not all(key in self._results for key in first):
            return first
        again = [name for name in self.cells if not self._same(name)]
        keys = [*first, *_rounds(again, 2, TIMES)]
        if not all(key in self._results for key in keys):
            return keys
        return [*keys, *_rounds([name for name in again if self._is_worse(name, TIMES)], TIMES + 1, MORE)]

    def _is_worse(self, name: str, times: int, share: float = 0.5) -> bool:
        """Whether more than such a share of so many runs of the new one ended worse than any of the old one."""
        old, new = (self._endings(side, name, times) for side in SIDES)
        return sum(_rank(word) > max(map(_rank, old)) for word in new) > share * len(new)

    def _same(self, name: str) -> bool:
        """Whether the first run of a cell ended alike with both."""
        old, new = (self._results[_key(side, name, 1)] for side in SIDES)
        return ending(old) == ending(new)

    def _trial(self, key: str) -> Trial:
        side, name, time = _parts(key)
        values = yaml.safe_load(self.cells[name].text)
        with_target = sides.aimed(values, self.targets[side])
        seed = (values.get("seed", 0) + time - 1) % SEEDS
        text = yaml.safe_dump({**with_target, "seed": seed}, sort_keys=False)
        return Trial(key, text)

    def add(self, key: str, verdict: Verdict | None, failure: str) -> str:
        side, name, _ = _parts(key)
        cell = self.cells[name]
        self._results[key] = table.failed(cell, failure) if verdict is None else table.result(cell, verdict)
        return f"{self.targets[side]}: {cell.topology}, {cell.fault}: {ending(self._results[key])}"

    @property
    def row(self) -> Row:
        """What the new target does not survive as the old one does."""
        evidence = (self.folder.id,) if self.folder is not None else ()
        reasons, told = list[Reason](), list[str]()
        if not self.cells:
            reasons.append(Reason("no scenario with faults was given", "not decided"))
        for name, cell in self.cells.items():
            reason = self._reason(name, f"{cell.topology}, {cell.fault}")
            if isinstance(reason, str):
                told.append(reason)
            elif reason is not None:
                reasons.append(reason)
        return Row(TITLE, ordered(reasons), (*told, f"{len(self.cells)} cells"), evidence)

    def _reason(self, name: str, words: str) -> Reason | str | None:
        found = {side: self._endings(side, name) for side in SIDES}
        if not all(found.values()):
            return Reason(f"{words}: not run with both yet", "not decided")
        old, new = (set(found[side]) for side in SIDES)
        said = f"{words}: {_counted(found['from'])}, now {_counted(found['to'])}"
        if FAILED in old | new:
            return Reason(f"{said}; there is no verdict on some{self._why_none(name)}", "not decided")
        if old == new and (len(old) == 1 or Counter(found["from"]) == Counter(found["to"])):
            return None
        often = min(map(len, found.values()))
        if self._is_worse(name, MORE):
            few = "" if often >= MORE else "; not run often enough yet"
            if max(map(_rank, old)) < min(map(_rank, new)):
                return Reason(f"{said}{few}", "not decided" if few else "no-go", f"survival {name}")
            return Reason(f"{said}: mostly worse{few}", "not decided", f"survival {name}: mostly")
        if old & new:
            return f"{said}: no reason for or against it"
        if often < TIMES:
            return Reason(f"{said}; not run often enough yet", "not decided")
        better = max(map(_rank, new)) < min(map(_rank, old))
        return f"{said}: {'better' if better else 'not worse in all runs'}"

    def _why_none(self, name: str) -> str:
        """What the first run of a cell that has no ending says."""
        runs = (result for side in SIDES for result in self._of(side, name, MORE) if ending(result) == FAILED)
        return next((f": {why}" for result in runs if (why := result.reason or result.unproven)), "")

    def _endings(self, side: str, name: str, times: int = MORE) -> list[str]:
        return [ending(result) for result in self._of(side, name, times)]

    def _of(self, side: str, name: str, times: int) -> list[Result]:
        keys = (_key(side, name, time) for time in range(1, times + 1))
        return [self._results[key] for key in keys if key in self._results]

    @property
    def in_words(self) -> str:
        both = " to ".join(str(target) for target in self.targets.values())
        return f"{both}: {len(self._results)} runs of {len(self.cells)} cells: {self.row.word}"

    def summary(self) -> Mapping[str, Any]:
        endings = {name: {side: self._endings(side, name) for side in SIDES} for name in self.cells}
        return {"row": self.row.as_json(), "cells": endings}


def ending(result: Result) -> str:
    """How a run ended, in words that both targets share."""
    if result.outcome in _NO_ENDING:
        return FAILED
    if result.unproven and not result.idle:
        return FAILED
    if result.outcome == "hung" and result.stage == "exit":
        return "trained, hung at the exit"
    return "completed, weights differ" if result.outcome == "completed" and result.weights == "" else result.outcome


def _rank(word: str) -> int:
    return _WORST.index(word) if word in _WORST else len(_WORST)


def _counted(words: Sequence[str]) -> str:
    counts = {word: words.count(word) for word in words}
    return ", ".join(word if n == len(words) else f"{word} ({n} of {len(words)})" for word, n in counts.items())


def _cells(own: Mapping[str, Mapping[str, Any]]) -> Iterator[Cell]:
    for name, values in own.items():
        kept = {key: value for key, value in values.items() if key not in ("variants", "expect", "repeat", "seeds")}
        yield Cell("own", name, yaml.safe_dump({**kept, "control": False}, sort_keys=False, allow_unicode=True))


def _rounds(names: Sequence[str], first: int, last: int) -> Iterator[str]:
    """Both targets by turns, and by turns in beginning: two runs side by side need not be equals.

    In first rounds of a cell of 1.9.1 beside itself, the one that began first hung three times of three, not the other.
    """
    return (
        _key(side, name, time)
        for time in range(first, last + 1)
        for name in names
        for side in (SIDES if time % 2 else SIDES[::-1])
    )


def _key(side: str, name: str, time: int) -> str:
    return f"{side}-{name}-{time}"


def _parts(key: str) -> tuple[str, str, int]:
    """LookupError for the name of no trial."""
    side, _, rest = key.partition("-")
    name, _, time = rest.rpartition("-")
    if side not in SIDES or not time.isdecimal():
        raise LookupError(key)
    return side, name, int(time)
