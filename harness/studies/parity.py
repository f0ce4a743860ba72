"""What differs between the operators of two targets. Pure.

A case that does not repeat itself in its own target is left out: it says nothing of the other one.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from harness.studies.unlike import (
    BETTER,
    CRASHES,
    FICKLE,
    HANGING,
    HANGS,
    KINDS,
    NOW_AND_THEN,
    UNSTEADY,
    Case,
    between,
    comes_again,
    is_dead,
    is_so,
    of_status,
)

_THEN = {CRASHES: FICKLE, HANGS: HANGING}


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
            case["op"] not in asked or comes_again(case, each.get(name))
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
    both = {name: case for name, case in old.cases.items() if name in new.cases}
    repeat = {name for name in both if old.repeats(name) and new.repeats(name)}
    unrepeated |= {name: case["op"] for name, case in both.items() if name not in repeat}
    statuses = {name: [own.cases[name]["status"] for own in (old, new)] for name in repeat}
    each = _by_operator(_differences(old, new, both, repeat), old.cases)
    swept = {case["op"] for case in old.cases.values()} & {case["op"] for case in new.cases.values()}
    taken = {case["op"] for own in (old, new) for case in own.cases.values() if case["status"] == "ok"}
    return Parity(
        worst_first(each),
        tuple(sorted((each_ for each_ in each if each_.kind in BETTER), key=lambda own: (own.kind, own.op))),
        tuple(sorted({*unrepeated.values()})),
        sum("ok" in each_ for each_ in statuses.values()),
        len({both[name]["op"] for name, each_ in statuses.items() if each_ == ["ok", "ok"]}),
        tuple(sorted(swept - taken)),
        tuple(sorted(known[0] - known[1])),
        tuple(sorted(known[1] - known[0])),
        tuple(sorted({op for name, op in unmatched.items() if name not in unrepeated})),
        unrepeated=tuple(unrepeated),
        fickle=tuple(_fickle(old, new)),
    )


def _differences(old: Swept, new: Swept, both: Iterable[str], repeat: Collection[str]) -> Iterator[Difference]:
    """Of each of these cases that differs; of one that does not repeat itself what is so in every pass."""
    for name in both:
        one, other = old.cases[name], new.cases[name]
        told = between(one, other) if name in repeat else _always(old.every(name), new.every(name))
        if told is not None:
            yield Difference(one["op"], told[0], other, told[1])


def _by_operator(found: Iterable[Difference], old: Mapping[str, Case]) -> list[Difference]:
    """One of each operator and kind, its first, with how many there are."""
    alike: dict[tuple[str, str], list[Difference]] = {}
    for each in found:
        alike.setdefault((each.op, each.kind), []).append(each)
    return [
        replace(
            every[0],
            case=_whole(every[0].case, old),
            cases=len(every),
            names=tuple(each.case["case"] for each in every),
        )
        for every in alike.values()
    ]


def _always(old: Sequence[Case], new: Sequence[Case]) -> tuple[str, str] | None:
    """What becomes of a case in every pass of either target, where that differs, whatever its values are.

    Where processes ended in at most half of them, as by what another call did to memory: in the others.
    """
    statuses = [{case["status"] for case in each} for each in (old, new)]
    if all(len(each) == 1 for each in statuses):
        return of_status(old[0], new[0]) if statuses[0] != statuses[1] else None
    was, now = ([case for case in each if not is_dead(case)] for each in (old, new))
    if 2 * len(was) < len(old) or 2 * len(now) < len(new):
        return None
    agree = all(comes_again(each[0], case) for each in (was, now) for case in each[1:])
    return between(was[0], now[0]) if agree else None


def _fickle(old: Swept, new: Swept) -> Iterator[Difference]:
    """One of each operator, the worst: what does not repeat itself in the new one only, as far as the operator goes.

    To live is not to be chance: an operator whose values vary in the old one may still never end its process. Nor is to
    die always: only where a case of the old one did so now and then, another's death may be luck.
    """
    unsteady = {case["op"] for name, case in old.cases.items() if not old.repeats(name)}
    dead = {name: [is_dead(each) for each in old.every(name)] for name in old.cases}
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
