"""What differs between the operators of two targets. Pure.

A case that does not repeat itself in its own target is left out: it says nothing of the other one.
"""

from __future__ import annotations

import base64
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

SLOWER, FASTER = "takes longer", "takes less time"
BY_WAY = ("otherwise on NaiveEngine", "otherwise without oneDNN")
"""What the new target does in this way is not what it does usually, and the old one does the same in both."""

CRASHES, HANGS, REFUSES = "crashes", "hangs", "refuses"
FICKLE, HANGING, UNSTEADY = NOW_AND_THEN = ("crashes now and then", "hangs now and then", "does not repeat itself")
_THEN = {CRASHES: FICKLE, HANGS: HANGING}
OLD_FILES = ("reads files of the old one otherwise", "refuses files of the old one")
NEW_FILES = ("the old one reads its files otherwise", "the old one refuses its files")
"""What becomes of files that the other one wrote: silently something else, or nothing."""


KINDS = (
    CRASHES, HANGS, "is not finite", OLD_FILES[0], "other values", "other gradients", "other arguments afterwards",
    "other types or shapes", REFUSES, OLD_FILES[1], *NEW_FILES, *BY_WAY, SLOWER,
)  # fmt: skip
"""Worst first: what the new target does with a case, and the old one did not."""

BETTER = ("no longer crashes", "no longer hangs", "takes more", *(f"no longer {kind}" for kind in BY_WAY), FASTER)
"""What is told, and is no reason against the new target."""

TOLERANCE = {"float16": 1e-2, "float32": 1e-4, "float64": 1e-6}
"""Of the largest value: other orders of sums, other instructions. Whole numbers have none."""

LEAST_SCALE = 0.01
"""What is smaller may be what is left of larger numbers that cancel."""

Case = Mapping[str, Any]


@dataclass(frozen=True)
class Swept:
    """Cases of a target in one way by their names, and those of operators that were asked again, and once more."""

    cases: Mapping[str, Case]
    again: Sequence[Mapping[str, Case]] = ()

    @cached_property
    def _asked_again(self) -> list[set[str]]:
        return [{case["op"] for case in each.values()} for each in self.again]

    def every(self, name: str) -> list[Case]:
        """What became of a case, in each pass that had it; what stands for another pass is not counted again."""
        found = [self.cases[name], *(each[name] for each in self.again if name in each)]
        return [each for place, each in enumerate(found) if not any(each is other for other in found[:place])]

    def repeats(self, name: str) -> bool:
        """Whether a case came to the same again; what was asked once is taken to."""
        case = self.cases[name]
        return all(
            case["op"] not in asked or _comes_again(case, each.get(name))
            for each, asked in zip(self.again, self._asked_again, strict=True)
        )


@dataclass(frozen=True)
class Difference:
    """One operator, one kind: its first case, in words how it differs, how many cases do, and their names."""

    op: str
    kind: str
    case: Case
    how: str
    cases: int = 1
    names: tuple[str, ...] = ()
    size: float | None = None
    """How much longer it takes at worst, as a fraction."""


@dataclass(frozen=True)
class Parity:
    """What came of it: differences, worst first; what is better; and what could not be asked."""

    differences: tuple[Difference, ...]
    better: tuple[Difference, ...]
    unstable: tuple[str, ...]
    """Operators with cases that do not repeat themselves in one target."""

    compared: int
    """Cases of both targets that repeat themselves, and work in one of them at least."""

    operators: int
    """With a case that works in both."""

    untaken: tuple[str, ...]
    """Operators of both of which no call was found that either takes."""

    gone: tuple[str, ...]
    new: tuple[str, ...]
    unmatched: tuple[str, ...] = ()
    """Operators of both with a case that always works in the old one, and that the new one was never asked; or that
    were given up in either, as their processes ended between cases."""

    otherwise: tuple[str, ...] = ()
    """Operators, each with a word of `BY_WAY`, that both targets compute otherwise in that way."""

    untold: tuple[str, ...] = ()
    """Operators with a case that differs and has no row, as it differs on NaiveEngine within one target, too."""

    unlike_numpy: tuple[str, ...] = ()
    """Operators that both targets compute alike, and numpy otherwise."""

    unrepeated: tuple[str, ...] = ()
    """Cases that do not repeat themselves in one target."""

    fickle: tuple[Difference, ...] = ()
    """Of operators that repeat themselves in the old target, one each that does not in the new one."""

    by_chance: tuple[str, ...] = ()
    """Operators that were so and, asked some more, no more often than chance explains."""


def filled(usual: Mapping[str, Case], again: Sequence[Mapping[str, Case]]) -> Swept:
    """With what a first pass was never asked, as a process ended too early, from the next one that was."""
    missing = {name: case for each in reversed(again) for name, case in each.items() if name not in usual}
    return Swept({**usual, **missing}, again)


def cases(lines: Iterable[Case]) -> dict[str, Case]:
    """Those of a pass, by their names."""
    return {line["case"]: line for line in lines if "case" in line}


def parity(old: Swept, new: Swept, names: tuple[Mapping[str, list[str]], Mapping[str, list[str]]]) -> Parity:
    """Of both targets as they usually compute, and the operators that each has, with their other names."""
    known = [{*own, *(alias for aliases in own.values() for alias in aliases)} for own in names]
    unmatched = {name: op for name, op in _unmatched(old, new.cases).items() if op in known[1]}
    unrepeated = {name: op for name, op in unmatched.items() if not old.repeats(name)}
    compared, works = 0, set()
    found: dict[tuple[str, str], list[Difference]] = {}
    for name, case in old.cases.items():
        if name not in new.cases:
            continue
        op, other = case["op"], new.cases[name]
        if not (old.repeats(name) and new.repeats(name)):
            unrepeated[name] = op
            if (told := _always(old.every(name), new.every(name))) is not None:
                found.setdefault((op, told[0]), []).append(Difference(op, told[0], other, told[1]))
            continue
        compared += "ok" in (case["status"], other["status"])
        works |= {op} if case["status"] == other["status"] == "ok" else set()
        if (told := between(case, other)) is not None:
            found.setdefault((op, told[0]), []).append(Difference(op, told[0], other, told[1]))
    each = [
        replace(
            all_[0],
            case=_whole(all_[0].case, old.cases),
            cases=len(all_),
            names=tuple(own.case["case"] for own in all_),
        )
        for all_ in found.values()
    ]
    swept = {case["op"] for case in old.cases.values()} & {case["op"] for case in new.cases.values()}
    taken = {case["op"] for own in (old, new) for case in own.cases.values() if case["status"] == "ok"}
    return Parity(
        worst_first(each),
        tuple(sorted((each_ for each_ in each if each_.kind in BETTER), key=lambda own: (own.kind, own.op))),
        tuple(sorted({*unrepeated.values()})),
        compared,
        len(works),
        tuple(sorted(swept - taken)),
        tuple(sorted(known[0] - known[1])),
        tuple(sorted(known[1] - known[0])),
        tuple(sorted({op for name, op in unmatched.items() if name not in unrepeated})),
        unrepeated=tuple(unrepeated),
        fickle=tuple(_fickle(old, new)),
    )


def _always(old: Sequence[Case], new: Sequence[Case]) -> tuple[str, str] | None:
    """What becomes of a case in every pass of either target, where that differs, whatever its values are.

    Where processes ended in at most half of them, as by what another call did to memory: in the others.
    """
    statuses = [{case["status"] for case in each} for each in (old, new)]
    if all(len(each) == 1 for each in statuses):
        return _of_status(old[0], new[0]) if statuses[0] != statuses[1] else None
    was, now = ([case for case in each if not _is_dead(case)] for each in (old, new))
    if 2 * len(was) < len(old) or 2 * len(now) < len(new):
        return None
    agree = all(_comes_again(each[0], case) for each in (was, now) for case in each[1:])
    return between(was[0], now[0]) if agree else None


def _fickle(old: Swept, new: Swept) -> Iterator[Difference]:
    """One of each operator, the worst: what does not repeat itself in the new one only, as far as the operator goes.

    To live is not to be chance: an operator whose values vary in the old one may still never end its process. Nor is to
    die always: only where a case of the old one did so now and then, another's death may be luck.
    """
    unsteady = {case["op"] for name, case in old.cases.items() if not old.repeats(name)}
    dead = {name: [_is_dead(each) for each in old.every(name)] for name in old.cases}
    by_luck = {old.cases[name]["op"] for name, each in dead.items() if any(each) and not all(each)}
    found: dict[str, list[Difference]] = {}
    for name, case in new.cases.items():
        if name in old.cases and not new.repeats(name):
            usual, every = old.cases[name], new.every(name)
            kinds = [told[0] for each in every if (told := between(usual, each)) is not None]
            kind = min((_THEN.get(each, UNSTEADY) for each in kinds), key=NOW_AND_THEN.index, default=UNSTEADY)
            odd = sum(is_so(kind, usual, each) for each in every)
            only_better = bool(kinds) and not odd
            if only_better or case["op"] in (unsteady if kind == UNSTEADY else by_luck) or any(dead[name]):
                continue
            how = f"so in {odd} of {len(every)} passes, and never in the old one" if odd else "in the new one only"
            found.setdefault(case["op"], []).append(Difference(case["op"], kind, {**usual, **case}, how, odd))
    yield from (min(each, key=lambda own: (NOW_AND_THEN.index(own.kind), -own.cases)) for each in found.values())


def _is_dead(case: Case) -> bool:
    return case["status"] in ("crashed", "hung")


def is_so(kind: str, usual: Case, case: Case) -> bool:
    """Whether a call came to what ``kind`` says, one of `NOW_AND_THEN`, beside what the old target makes of it usually.

    Where processes end, other values do not count; what is better never does.
    """
    if kind != UNSTEADY:
        return _is_dead(case)
    told = between(usual, case)
    return told is not None and told[0] not in BETTER


def worst_first(found: Iterable[Difference]) -> tuple[Difference, ...]:
    """Those that speak against the new target."""
    against = [each for each in found if each.kind in KINDS]
    return tuple(sorted(against, key=lambda own: (KINDS.index(own.kind), own.op)))


def _unmatched(old: Swept, new: Mapping[str, Case]) -> dict[str, str]:
    """The operators of cases without a counterpart: where a process died between two, or the first call did not work.

    Where that one works by luck once in many, as it reads memory that nobody wrote, its cases are luck, too.
    """
    return {name: case["op"] for name, case in old.cases.items() if case["status"] == "ok" and name not in new}


def _whole(case: Case, old: Mapping[str, Case]) -> Case:
    """A case with what it is made of, and whether it has gradients, which one that did not work does not tell."""
    return {**old[case["case"]], **case}


def between(one: Case, other: Case | None) -> tuple[str, str] | None:
    """The kind of difference and how, from one case to the same in another pass; None where there is none."""
    if other is None:
        return REFUSES, "was not run"
    was, now = one["status"], other["status"]
    if was != now:
        return _of_status(one, other)
    return _of_results(one, other) if now == "ok" else None


def _comes_again(one: Case, other: Case | None) -> bool:
    """Whether two passes of one target come to the same, also where values are too small for a tolerance."""
    return (
        other is not None and between(one, other) is None and not (one["status"] == "ok" and _has_remnants(one, other))
    )


def _has_remnants(one: Case, other: Case) -> bool:
    """Whether numbers differ that are smaller than normal ones: addresses, say, in memory that nobody wrote.

    What is computed comes to the same bits again. Halves of pointers look like 4.6e-41, which is as good as zero.
    """
    pairs = [pair for name in ("outputs", "gradients") for pair in zip(one[name], other[name], strict=True)]
    pairs += [(mine, other["changed"][place]) for place, mine in one["changed"].items()]
    return any(
        mine["data"] != theirs["data"] and _differ_below_normal(array(mine), array(theirs)) for mine, theirs in pairs
    )


def _differ_below_normal(mine: Any, theirs: Any) -> bool:
    if mine.dtype.name not in ("float32", "float64"):  # rounding of float16 goes as far
        return False
    tiny = np.finfo(mine.dtype).tiny
    return bool(((mine != theirs) & (np.abs(mine) < tiny) & (np.abs(theirs) < tiny)).any())


def _of_status(one: Case, other: Case) -> tuple[str, str]:
    was, now = one["status"], other["status"]
    if now in ("crashed", "hung"):
        by = f" by signal {other['signal']}" if other.get("signal") else ""
        return (CRASHES, f"the process ends{by}") if now == "crashed" else (HANGS, "no answer after 10 s")
    if was in ("crashed", "hung"):
        return ("no longer crashes" if was == "crashed" else "no longer hangs"), f"it is {now} now"
    return (REFUSES, other["message"]) if now == "error" else ("takes more", one["message"])


def _of_results(one: Case, other: Case) -> tuple[str, str] | None:
    for arrays, kind in (("outputs", "other values"), ("gradients", "other gradients")):
        if len(one[arrays]) != len(other[arrays]):
            return "other types or shapes", f"{len(one[arrays])} {arrays} are {len(other[arrays])}"
        for place, (mine, theirs) in enumerate(zip(one[arrays], other[arrays], strict=True)):
            if (told := _of_arrays(mine, theirs, kind)) is not None:
                return told[0], f"{arrays[:-1]} {place}: {told[1]}"
    if set(one["changed"]) != set(other["changed"]):
        return "other arguments afterwards", f"arguments {_places(one)} were changed, now {_places(other)}"
    for place, mine in one["changed"].items():
        if (told := _of_arrays(mine, other["changed"][place], "other arguments afterwards")) is not None:
            return told[0], f"argument {place}: {told[1]}"
    return None


def _places(case: Case) -> str:
    return ", ".join(sorted(case["changed"])) or "none"


def _of_arrays(one: Case, other: Case, kind: str) -> tuple[str, str] | None:
    if (one["dtype"], one["shape"]) != (other["dtype"], other["shape"]):
        types = [f"{each['dtype']} {tuple(each['shape'])}" for each in (one, other)]
        return "other types or shapes", f"{types[0]} is {types[1]}"
    if one["data"] == other["data"] and one.get("sha256") == other.get("sha256"):
        return None
    if (was := one.get("not_finite", 0)) != (now := other.get("not_finite", 0)):
        return ("is not finite" if now > was else kind), f"{was} values are not finite, now {now}"
    told = apart_by(array(one), array(other), kind)
    if told is None and array(one).dtype.kind not in "fc":
        return kind, f"of {math.prod(one['shape'])} values some of those that are not kept"
    return told


def apart_by(mine: Any, theirs: Any, kind: str) -> tuple[str, str] | None:
    """The kind of difference between values in a row, of one type, and how; None where it is rounding."""
    if mine.dtype.kind not in "fc":
        place = _first(mine != theirs)
        return None if place is None else (kind, f"{mine[place]} is {theirs[place]}, at {place}")
    finite = np.isfinite(mine)
    if (place := _first(finite & ~np.isfinite(theirs))) is not None:
        return "is not finite", f"{mine[place]:g} is {theirs[place]:g}, at {place}"
    if (place := _first(~finite & ~_same(mine, theirs))) is not None:
        return kind, f"{mine[place]:g} is {theirs[place]:g}, at {place}"
    return _beyond(mine, theirs, finite, kind)


def _beyond(mine: Any, theirs: Any, finite: Any, kind: str) -> tuple[str, str] | None:
    """Where finite values are farther apart than rounding goes."""
    if not finite.any():
        return None
    with np.errstate(over="ignore", invalid="ignore"):
        apart = np.where(finite, np.abs(mine.astype("float64") - theirs.astype("float64")), 0.0)
    scale = max(LEAST_SCALE, float(np.abs(mine[finite].astype("float64")).max()))
    place = int(np.argmax(apart))
    if not apart[place] > TOLERANCE[mine.dtype.name] * scale:
        return None
    return kind, f"{mine[place]:.6g} is {theirs[place]:.6g}, at {place}"


def _same(mine: Any, theirs: Any) -> Any:
    return (mine == theirs) | (np.isnan(mine) & np.isnan(theirs))


def _first(where: Any) -> int | None:
    return int(np.argmax(where)) if where.any() else None


def array(written: Case) -> Any:
    """The values that are kept of an array, in a row."""
    return np.frombuffer(base64.b64decode(written["data"]), dtype=written["dtype"])
