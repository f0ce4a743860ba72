"""What the new target does now and then, and the old one was not seen to do: by chance, or not? Pure.

A call that reads memory which nobody wrote may end a process of either target once in many; the passes of a sweep are
too few to tell. Each is asked some more, by itself, of both targets in turn, in processes of their own.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from harness.studies.parity import Difference, Parity, worst_first
from harness.studies.unlike import Case, between, is_so

TIMES = 8
"""Calls of each target: four against none are beyond chance."""

MOST = 12
"""Operators that are asked some more, by their first case; of further ones nobody knows."""

CHANCE = 0.05
POOLED = 0.01
"""Of passes and calls together: stricter, as only what was odd in a pass is asked some more."""

_ROUNDING = 1e-9
"""Three of three against none are just beyond: 1 in 20."""

PASSES = 3
"""That lines of older versions are of."""


def line(each: Difference, usual: Case, passes: int, old: Sequence[Case], new: Sequence[Case]) -> dict[str, Any]:
    """How often calls came to what is told of the new target, beside its ``passes``."""
    odd = [sum(is_so(each.kind, usual, case) for case in calls) for calls in (old, new)]
    seen = {"op": each.op, "case": each.case["case"], "passes": each.cases, "of": passes}
    found = [between(usual, case) for case in new]
    kinds = {told[0] if told else "" for told in found}
    always = {"kind": found[0][0], "how": found[0][1]} if len(kinds) == 1 and found[0] else {}
    return {**seen, "old": odd[0], "new": odd[1], "times": len(new), **always}


def with_more(found: Parity, lines: Iterable[Mapping[str, Any]]) -> Parity:
    """What is left of it; what chance explains is told, and what is never as it was is a difference."""
    known = {(each["op"], each["case"]): each for each in lines}
    told = [known.get((each.op, each.case["case"])) for each in found.fickle]
    every = [*zip(found.fickle, told, strict=True)]
    never = [_never(each, more) for each, more in every if more is not None and _is_always(more)]
    left = [(each, more) for each, more in every if more is None or (_is_beyond(more) and not _is_always(more))]
    chance = [each.op for each, more in every if more is not None and not _is_beyond(more)]
    against = worst_first([*found.differences, *never])
    return replace(found, differences=against, fickle=tuple(_told(*each) for each in left), by_chance=tuple(chance))


def _is_always(more: Mapping[str, Any]) -> bool:
    """Whether no pass and no call came to what the old target makes of it, which never was so itself."""
    return "kind" in more and not more["old"] and (more["passes"], more["new"]) == (more["of"], more["times"])


def _never(each: Difference, more: Mapping[str, Any]) -> Difference:
    counts = f"{more['of']} passes and {more['times']} calls by itself"
    return replace(each, kind=more["kind"], how=f"{more['how']}; others each time, in {counts}", cases=1)


def _is_beyond(more: Mapping[str, Any]) -> bool:
    """Of passes, where the old one is never so, by calls that were asked alone either; else of these.

    Such calls clear nothing by themselves: a process that was asked nothing before has other memory.
    """
    of = max(more.get("of", PASSES), more["passes"])
    by_passes = not more["old"] and _is_more(more["passes"], 0, of)
    by_both = _is_more(more["passes"] + more["new"], more["old"], of + more["times"], POOLED)
    return by_passes or by_both or _is_more(more["new"], more["old"], more["times"])


def _is_more(new: int, old: int, times: int, chance: float = CHANCE) -> bool:
    """By Fisher's exact test, one-sided."""
    from scipy.stats import fisher_exact

    table = [[count, times - count] for count in (new, old)]
    return float(fisher_exact(table, alternative="greater").pvalue) <= chance + _ROUNDING


def _told(each: Difference, more: Mapping[str, Any] | None) -> Difference:
    if more is None:
        return each
    counts = f"asked {more['times']} times more by itself, {more['new']} times so, {more['old']} times in the old one"
    return replace(each, how=f"{each.how}; {counts}")
