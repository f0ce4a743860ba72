"""Which operators take longer in the new target: by more than a tenth, in five pairs of processes. Pure.

Processes that run the same code differ, by where their memory lies: of 855 calls of a version beside itself 24 differed
in one pair, by up to half, and one did so in three pairs.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from statistics import fmean, median

from harness.execution.operator_times import Call, Times
from harness.studies.parity import Difference
from harness.studies.unlike import CRASHES, FASTER, FICKLE, HANGS, REFUSES, SLOWER, Case

LEAST = math.log(1.10)
"""Less is no difference."""

ASTRAY = 2
"""Rounds of a pair that may show less than half of it."""

PAIRS = 5
OFTEN = 4
"""Of them: deaths of the new target in so many, against none, are beyond chance (Fisher's exact test, 2.4 %)."""


def calls(old: Mapping[str, Case], new: Mapping[str, Case]) -> list[Call]:
    """The first call of each operator that works in both; programs of several lines are no calls."""
    found: dict[str, Call] = {}
    for name, case in old.items():
        works = name in new and case["status"] == new[name]["status"] == "ok"
        if works and case["variant"] == "base" and case["op"] not in found:
            shapes, kinds = (tuple(map(tuple, case["shapes"])), tuple(case["kinds"]))
            found[case["op"]] = Call(case["op"], name, shapes, kinds, case["params"])
    return list(found.values())


def suspects(pairs: Sequence[Iterable[Times]]) -> list[str]:
    """Operators that every pair so far sees differ, in the same direction, or the new target alone did not make."""
    return sorted({*(first.op for first, _ in _seen(pairs)), *_died(pairs)})


def differences(pairs: Sequence[Iterable[Times]], old: Mapping[str, Case]) -> list[Difference]:
    """What all pairs see, slowest first: a difference an operator and kind, by its worst way.

    ``old``: the cases of the old target.
    """
    if len(pairs) < PAIRS:
        return []
    found: dict[tuple[str, str], list[tuple[float, Difference]]] = {}
    for op, died in _died(pairs).items():
        if len(died) == len(pairs):
            kind = _kind_of(died)
            found[op, kind] = [(math.inf, _told_of_death(died, kind, old))]
    for first, effects in _seen(pairs):
        kind = SLOWER if effects[0] > 0 else FASTER
        case = {**_longer(old[first.case], first.longer), "timed": first.way}
        told = Difference(first.op, kind, case, _how(first, effects), size=math.expm1(max(effects)))
        found.setdefault((first.op, kind), []).append((abs(fmean(effects)), told))
    worst = [(max(each, key=lambda own: own[0]), len(each)) for each in found.values()]
    return [replace(told, cases=ways) for (_, told), ways in sorted(worst, key=lambda own: -own[0][0])]


def fickle(pairs: Sequence[Iterable[Times]], old: Mapping[str, Case]) -> list[Difference]:
    """Calls that the new target survived in one pair, and in all others it did not, once all pairs are there."""
    return [_told_of_death(died, FICKLE, old) for died in _now_and_then(pairs) if len(died) >= OFTEN]


def by_chance(pairs: Sequence[Iterable[Times]]) -> list[str]:
    """Operators with a call that the new target did not survive in fewer pairs, once all are there."""
    return sorted({died[0].op for died in _now_and_then(pairs) if len(died) < OFTEN})


def _now_and_then(pairs: Sequence[Iterable[Times]]) -> list[list[Times]]:
    """A call that is refused may have met memory that was short for a while."""
    known = _died(pairs) if len(pairs) >= PAIRS else {}
    return [died for died in known.values() if len(died) < len(pairs) and _kind_of(died) != REFUSES]


def _kind_of(died: Sequence[Times]) -> str:
    """How all of them end: a crash among them counts for all, else a hang. Older studies did not say."""
    ends = {each.end for each in died}
    return CRASHES if ends & {"crashed", ""} else HANGS if "hung" in ends else REFUSES


def _told_of_death(died: Sequence[Times], kind: str, old: Mapping[str, Case]) -> Difference:
    first = died[0]
    words = {"hung": "the process hangs", "crashed": "the process ends", "": "the process ends"}
    word = " or ".join(sorted({words.get(each.end, each.end) for each in died}))
    how = f"{word}, in {len(died)} of {PAIRS} pairs of processes"
    return Difference(first.op, kind, _longer(old[first.case], first.died), how)


def _died(pairs: Sequence[Iterable[Times]]) -> dict[str, list[Times]]:
    """What the new target did not survive, or refused, and the old one did not: one of each pair, by operator."""
    found: dict[str, list[Times]] = {}
    for times in pairs:
        for each in {each.op: each for each in times if each.died}.values():
            found.setdefault(each.op, []).append(each)
    return found


def _seen(pairs: Sequence[Iterable[Times]]) -> Iterator[tuple[Times, list[float]]]:
    """What all of them see, with the effect in each."""
    known = [{(each.op, each.way): _effect(each) for each in times} for times in map(tuple, pairs[1:])]
    for first in pairs[0] if pairs else ():
        effects = [_effect(first), *(times.get((first.op, first.way), 0.0) for times in known)]
        if all(effect > 0 for effect in effects) or all(effect < 0 for effect in effects):
            yield first, effects


def _effect(times: Times) -> float:
    """The median of its rounds; 0 where they do not agree, or it is too little."""
    middle = median(times.ratios) if times.ratios else 0.0
    agree = sum(ratio * math.copysign(1.0, middle) > LEAST / 2 for ratio in times.ratios)
    return middle if abs(middle) > LEAST and agree >= len(times.ratios) - ASTRAY else 0.0


def _longer(case: Case, longer: int) -> Case:
    """The case as it was timed; arrays that are as long as the first are longer, the others are weights."""
    shapes = [tuple(shape) for shape in case["shapes"]]
    first = shapes[0][:1] if shapes else ()
    resized = [(shape[0] * longer, *shape[1:]) if shape and shape[:1] == first else shape for shape in shapes]
    return {**case, "shapes": resized}


def _how(times: Times, effects: Sequence[float]) -> str:
    low, middle, high = (math.exp(each) for each in (min(effects), fmean(effects), max(effects)))
    each = f"{times.seconds * 1e6:.0f} µs, {times.way}"
    return f"{middle:.2f} times as long as {each} ({low:.2f} to {high:.2f} in {PAIRS} pairs of processes)"
