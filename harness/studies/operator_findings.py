"""Two targets' operators: what their passes say, and how that is told."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Any

from harness.base.errors import InputError
from harness.execution import sweep_lines
from harness.execution.operator_times import Times, read_times
from harness.scenario.schema import Target
from harness.studies import call_times, now_and_then
from harness.studies.beside_numpy import with_numpy
from harness.studies.exchanged import SIDES, with_files
from harness.studies.parity import Difference, Parity, Swept, cases, filled, parity, worst_first
from harness.studies.passes import AGAIN, DIFFERING, EXCHANGED, MORE, PASSES, SMALLER, TIMES
from harness.studies.smallest import can_be_smaller
from harness.studies.study import Study
from harness.studies.unlike import CRASHES, FASTER, FICKLE, HANGS, REFUSES, SLOWER, Case
from harness.studies.ways import WAYS, Way, as_usual, with_ways
from harness.targets import resolve
from harness.targets.build_step import say_nothing


class OperatorFindings(Study):
    """Of ``old`` and ``new``; ``only`` some operators, all where it is empty; ``times``: also what they take.

    ``files``: also what each makes of the other one's; ``more``: what only the new one does now and then is asked some
    more; ``rounds``: how often what differs is asked again, and ``better``: what is better as often, which may be luck
    as well; ``forked``: first passes fork, where that changes nothing. Studies of older versions did not, or less
    often. ``say`` hears how far it is.
    """

    def __init__(
        self,
        old: Target,
        new: Target,
        only: Sequence[str] = (),
        times: bool = False,
        files: bool = True,
        more: bool = True,
        rounds: int = len(AGAIN),
        better: bool = True,
        forked: bool = True,
    ) -> None:
        self.targets = {"from": resolve.settle(old, None, None), "to": resolve.settle(new, None, None)}
        self._only, self._asks_times, self._files, self._more = list(only), times, files, more
        self._rounds, self._better, self._forked = AGAIN[:rounds], better, forked
        self._done: set[str] = set()
        self._known: dict[int, Parity | None] = {}
        self.say: Callable[[str], None] = say_nothing

    @property
    def question(self) -> Mapping[str, Any]:
        targets = {name: target.model_dump(mode="json", exclude_none=True) for name, target in self.targets.items()}
        asked = {"times": self._asks_times, "files": self._files, "more": self._more, "better": self._better}
        asked |= {"forked": self._forked}
        return {**targets, "only": self._only, **asked, "rounds": len(self._rounds)}

    # As far as is known

    @property
    def _times_done(self) -> list[str]:
        return [name for name in TIMES if name in self._done]

    def _suspects(self) -> list[str]:
        """Operators that take longer, or less time, as far as is known."""
        return call_times.suspects([self._times(name) for name in self._times_done])

    def _times(self, name: str) -> list[Times]:
        return [] if self.folder is None else list(read_times(self._file(name)))

    def _cases(self, name: str) -> dict[str, Case]:
        return cases(sweep_lines.read(self._file(name)))

    def _file(self, name: str) -> Path:
        """What a pass, or something else that is asked of both, wrote."""
        assert self.folder is not None
        return self.folder.path / f"{name}.jsonl"

    @property
    def _asked_passes(self) -> tuple[str, ...]:
        """All, as far as is known."""
        return (*PASSES, *self._asked_again())

    def _asked_again(self) -> list[str]:
        """Passes over what differs as far as is known, which has to do so each time."""
        asked = list[str]()
        for number, passes in enumerate(self._rounds):
            if not self._doubtful((*PASSES, *asked), number):
                break
            asked += passes
        return asked

    def _doubtful(self, passes: Sequence[str], number: int) -> list[str]:
        """Operators for a round by what these passes say; none while one of them is missing.

        Those that differ, now and then too, or that have cases only one was asked.
        """
        found = self._seen(passes)
        if found is None:
            return []
        better = {each.op for each in found.better} if self._better or number < DIFFERING else set()
        doubtful = {*(each.op for each in (*found.differences, *found.fickle)), *better, *found.unmatched}
        alike = {each.partition(" ")[0] for each in found.otherwise} if number < DIFFERING else set()
        return sorted(doubtful | alike)

    def _seen(self, passes: Sequence[str]) -> Parity | None:
        """What differs by these; None while one of them is missing."""
        if not set(passes) <= self._done:
            return None
        if len(passes) not in self._known:
            self._known[len(passes)] = self._of(passes)
        return self._known[len(passes)]

    @property
    def _failing(self) -> list[Difference]:
        """Differences that are worth a smaller call; none while a pass is missing."""
        found = self._seen(self._asked_passes)
        return [] if found is None else [each for each in found.differences if can_be_smaller(each)]

    @property
    def _ways(self) -> list[Way]:
        """Those that neither target has by itself; the passes of others are the usual way once more."""
        asked = {name for target in self.targets.values() for name in target.env}
        return [way for way in WAYS if not asked & {*way.env}]

    def _called(self, names: Mapping[str, Mapping[str, list[str]]], side: str) -> list[str]:
        """Those that both targets have, by the name that the first one calls them: others are beside nothing."""
        known = {one: {*own, *(alias for each in own.values() for alias in each)} for one, own in names.items()}
        if not self._only:
            return [name for name in names["from"] if name in known["to"]]
        every = known["from"] | known["to"]
        for name in self._only:
            if name not in every:
                near = [each for each in sorted(every) if each.lower().endswith(name.lower())]
                near = near or difflib.get_close_matches(name, every, 3)
                meant = f"; do you mean {' or '.join(near[:3])}?" if near else ""
                both = " or ".join(dict.fromkeys(map(str, self.targets.values())))
                raise InputError(f"{name!r} is no operator of {both}{meant}")
        return [name for name in self._only if name in known[side]]

    # Told

    @property
    def parity(self) -> Parity | None:
        """What differs; None while not every pass is through."""
        return None if self.folder is None or self.wanted() else self._whole

    @cached_property
    def _whole(self) -> Parity | None:
        found = self._seen(self._asked_passes)
        return (
            found if found is None else self._with_times(self._with_files(self._with_more(self._with_smallest(found))))
        )

    def _of(self, passes: Sequence[str]) -> Parity | None:
        if self.folder is None:
            return None
        old, new = (self._swept(side, passes) for side in SIDES)
        names = [sweep_lines.names_kept(self.folder.path / f"{side}.names.json") for side in SIDES]
        for side in SIDES if all(names) else ():
            sweep_lines.require_whole(
                self._called(dict(zip(SIDES, names, strict=True)), side), self._usual_files(side, ())[0]
            )
        usual = as_usual(old), as_usual(new)
        found = with_numpy(with_ways(parity(*usual, (names[0], names[1])), old, new), *usual)
        given_up = (sweep_lines.given_up(*self._usual_files(side, passes)) for side in SIDES)
        found = replace(found, unmatched=tuple(sorted({*found.unmatched, *chain.from_iterable(given_up)})))
        if not self._more:  # as it was told then
            found = replace(found, fickle=tuple(each for each in found.fickle if each.kind == FICKLE))
        if not self._only:
            return found
        gone, came = ([name for name in each if name in self._only] for each in (found.gone, found.new))
        return replace(found, gone=tuple(gone), new=tuple(came))

    def _usual_files(self, side: str, passes: Sequence[str]) -> list[Path]:
        again = [each[PASSES.index(side)] for each in AGAIN if {*each} <= {*passes}]
        return [self._file(name) for name in (side, *again)]

    def _swept(self, side: str, passes: Sequence[str]) -> dict[str, Swept]:
        """What a target made of its cases, by the name of the way; the usual one is ""."""
        keys = {"": side, **{way.name: f"{side}-{way.name}" for way in self._ways}}
        rounds = [dict(zip(PASSES, each, strict=True)) for each in AGAIN if {*each} <= {*passes}]
        found = {way: Swept(self._cases(key), [self._cases(each[key]) for each in rounds]) for way, key in keys.items()}
        as_before = [self._cases(f"{side}-{way.name}") for way in WAYS if way not in self._ways]
        return {**found, "": filled(found[""].cases, [*as_before, *found[""].again])}

    def _with_files(self, found: Parity) -> Parity:
        return with_files(found, sweep_lines.read(self._file(EXCHANGED)))

    def _with_more(self, found: Parity) -> Parity:
        return now_and_then.with_more(found, sweep_lines.read(self._file(MORE)))

    def _with_smallest(self, found: Parity) -> Parity:
        """With what fails as small as it was found; what passes said of it stays."""
        lines = sweep_lines.read(self._file(SMALLER))
        known = {(line["op"], line["kind"]): line["case"] for line in lines}
        smaller = (replace(each, case=known.get((each.op, each.kind), each.case)) for each in found.differences)
        return replace(found, differences=tuple(smaller))

    def _with_times(self, found: Parity) -> Parity:
        """What takes longer comes after all that means something else."""
        pairs, old = [self._times(name) for name in self._times_done], self._cases(PASSES[0])
        told = call_times.differences(pairs, old)
        slower, faster = ([each for each in told if each.kind == kind] for kind in (SLOWER, FASTER))
        ended = [each for each in told if each.kind in (CRASHES, HANGS, REFUSES)]
        against = (*worst_first([*found.differences, *ended]), *slower)
        fickle = (*found.fickle, *call_times.fickle(pairs, old))
        chance = tuple(dict.fromkeys([*found.by_chance, *call_times.by_chance(pairs)]))
        return replace(found, differences=against, better=(*found.better, *faster), fickle=fickle, by_chance=chance)

    @property
    def in_words(self) -> str:
        sides = " to ".join(str(target) for target in self.targets.values())
        if self.parity is None:
            return f"{sides}: {len(self._done)} of {self.total} passes"
        times = f", and in what calls of {self.timed} operators take" if self._asks_times else ""
        return f"{sides}: {len(self.parity.differences)} differences in {self.parity.compared} cases{times}"

    @property
    def timed(self) -> int:
        """How many operators were."""
        return len({each.op for each in self._times(TIMES[0]) if each.ratios})

    def summary(self) -> Mapping[str, Any]:
        found = self.parity
        if found is None:
            return {"passes": sorted(self._done)}
        return {
            "differences": [*map(_row, found.differences)],
            "better": [*map(_row, found.better)],
            "compared": found.compared,
            "operators": found.operators,
            "unstable": found.unstable,
            "untaken": found.untaken,
            "unmatched": found.unmatched,
            "fickle": [*map(_row, found.fickle)],
            "by_chance": found.by_chance,
            "otherwise": found.otherwise,
            "unlike_numpy": found.unlike_numpy,
            "gone": found.gone,
            "new": found.new,
            "timed": self.timed,
        }


def _row(each: Difference) -> dict[str, Any]:
    """``shapes``: of the call that its program makes, which may be smaller than its case."""
    own = {"op": each.op, "kind": each.kind, "how": each.how, "cases": each.cases}
    return {**own, "case": each.case["case"], "shapes": each.case.get("shapes", [])}
