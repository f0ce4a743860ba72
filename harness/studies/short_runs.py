"""Short runs of all sides before any pair: which, and what they tell of what sides compute, and of rounding."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from harness.studies import meaning
from harness.studies.meaning import Meaning, Traces
from harness.studies.sides import AGAIN, REPEATS, ROUNDED, Sides
from harness.studies.study import Trial

STEPS = 24
MEANING = "meaning"
REPEATED, OTHERWISE = f"{MEANING}-repeated", f"{MEANING}-rounded"
"""Names of runs: of the first side some more times, and with other rounding."""

ONCE_MORE = 2
"""Three runs of a side, four of the first: of a job that ends elsewhere now and then three are odd in 0.8 % at most."""

MORE = tuple(f"{MEANING}-once-more-{number}" for number in range(1, ONCE_MORE + 1))
BESIDE = (OTHERWISE, *MORE)
"""Runs that are asked for once, whatever comes of them."""


class ShortRuns:
    """Losses and parameters of short runs, by side, and what they mean.

    Where the first side does not repeat itself, nothing is meant until it was run some more times; where others differ
    by what rounding might grow to, it is run with other rounding, once. What differs then is run twice more, as is the
    first side: one run of either may be the odd one; not with ``once_more`` False. ``found``: of each other side;
    ``tried``: which of these runs were made.
    """

    def __init__(self, first: str, others: Sequence[str], once_more: bool = True) -> None:
        self.first, self.others, self.once_more = first, others, once_more
        self.found: dict[str, Meaning] = {}
        self._traces: dict[str, Traces] = {}
        self._rounding_known = False
        self._more: list[Mapping[str, Traces]] = []
        self.tried: set[str] = set()

    def wanted(self, scenario: Sides, lost: int, are_pairs: bool) -> Trial | None:
        """The run that comes next; None where no more are needed. With pairs only what has no answer is asked.

        ``lost``: how often a side was, in runs that are made again: each has a name of its own, also when the study is
        opened again.
        """
        number = f"-{lost + 1}" if lost else ""
        if self.want_repeats:
            return Trial(f"{REPEATED}{number}", scenario.repeated(STEPS))
        if not self.found:
            return Trial(f"{MEANING}{number}", scenario.meaning(STEPS))
        if are_pairs:
            return None
        if self.want_rounding and (text := scenario.rounded(STEPS)) is not None:
            return Trial(OTHERWISE, text)
        left = [key for key in MORE if key not in self.tried] if self.in_doubt else []
        return Trial(left[0], scenario.once_more(STEPS, self.in_doubt)) if left else None

    @property
    def want_repeats(self) -> bool:
        """Whether the first side does not repeat itself, and nobody knows yet by how much."""
        return bool(self._traces) and not self.found

    @property
    def want_rounding(self) -> bool:
        """Whether a side that repeats itself differs from another by what rounding alone might do; asked once."""
        if self._rounding_known or any(name in self._traces for name in REPEATS):
            return False
        differ = [side for side, found in self.found.items() if found.word == "different"]
        return any(meaning.begins_alike(self._of(self.first), self._of(side)) for side in differ)

    @property
    def differ_at_once(self) -> bool:
        """Whether all other sides compute something else already."""
        return bool(self.found) and all(found.word == "different" for found in self.found.values())

    @property
    def in_doubt(self) -> list[str]:
        """Sides that differ from a first one that repeated itself, and were not run often enough yet."""
        enough = self.tried.issuperset(MORE) or not self.once_more
        if enough or any(name in self._traces for name in REPEATS):
            return []
        return [side for side, found in self.found.items() if found.word == "different"]

    def are_rounding(self, names: Sequence[str]) -> bool:
        """Whether these arms are the first side with other rounding."""
        return any(name in self._of_rounding for name in names)

    def add(self, found: Mapping[str, Traces]) -> str:
        """Of sides and of the first one's repeats: what they mean, or what it still takes to know."""
        begun = bool(self._traces)
        self._traces.update(found)
        if not begun and not meaning.repeats(self._of(self.first), self._of(AGAIN)):
            return f"{self.first} does not repeat itself; it is run {len(REPEATS)} more times"
        return self._compared()

    def add_beside(self, key: str, found: Mapping[str, Traces]) -> str:
        """Of the first side with other rounding, or once more with those in doubt, what was whole."""
        if key in MORE:
            self.tried.add(key)
            self._more += [found] if self.first in found else []
        else:
            self._rounding_known = True
            self._traces.update(found)
        return self._compared()

    def _compared(self) -> str:
        again = [*self._those((AGAIN, *REPEATS)), *self._later(self.first)]
        rounded = self._those(self._of_rounding) if self._rounding_known else []
        first = self._of(self.first)
        for side in self.others:
            runs = [self._of(side), *self._later(side)]
            self.found[side] = meaning.of_runs([meaning.compare(first, again, run, rounded) for run in runs])
        return "; ".join(f"{side}: {found.sentence}" for side, found in self.found.items())

    @property
    def _of_rounding(self) -> list[str]:
        """Names that no side has taken."""
        return [name for name in ROUNDED if name not in self.others]

    def _later(self, side: str) -> list[Traces]:
        return [more[side] for more in self._more if side in more]

    def _those(self, names: Sequence[str]) -> list[Traces]:
        return [self._traces[name] for name in names if name in self._traces]

    def _of(self, side: str) -> Traces:
        return self._traces.get(side, {})
