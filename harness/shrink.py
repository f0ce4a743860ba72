"""The smallest schedule of faults that still does it: delta debugging (Zeller and Hildebrandt, 2002). Pure."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import TypeVar

from harness.faults import Entry
from harness.schedule import For, WallTime

Item = TypeVar("Item")
SHORTEST_SECONDS = 0.1


def minimal(items: Sequence[Item], still: Callable[[Sequence[Item]], bool]) -> list[Item]:
    """A subset in which no single item can be left out: ``still`` says whether a subset still does it.

    ``still`` is asked about no subset twice; that of all items is taken to hold.
    """
    asked: dict[tuple[int, ...], bool] = {}

    def holds(numbers: Sequence[int]) -> bool:
        key = tuple(numbers)
        if key not in asked:
            asked[key] = still([items[number] for number in key])
        return asked[key]

    left, parts = list(range(len(items))), 2
    while len(left) > 1:
        chunks = _chunks(left, parts)
        kept = next((chunk for chunk in chunks if holds(chunk)), None)
        if kept is not None:
            left, parts = kept, 2
            continue
        rests = [[number for number in left if number not in chunk] for chunk in chunks] if parts > 2 else []
        rest = next((rest for rest in rests if holds(rest)), None)
        if rest is not None:
            left, parts = rest, max(parts - 1, 2)
        elif parts >= len(left):
            break
        else:
            parts = min(len(left), parts * 2)
    return [items[number] for number in left]


def _chunks(numbers: Sequence[int], parts: int) -> list[list[int]]:
    """Cut into so many parts of nearly the same size."""
    cuts = [len(numbers) * part // parts for part in range(parts + 1)]
    return [list(numbers[begin:end]) for begin, end in pairwise(cuts) if end > begin]


def shortest(entries: Sequence[Entry], still: Callable[[Sequence[Entry]], bool]) -> list[Entry]:
    """The same faults, each half as long as often as that still does it."""
    found = list(entries)
    for place in range(len(found)):
        while (shorter := halved(found[place])) is not None:
            trial = [*found[:place], shorter, *found[place + 1 :]]
            if not still(trial):
                break
            found = trial
    return found


def halved(entry: Entry) -> Entry | None:
    """The fault for half as long; None where it has no duration, or is as short as makes sense."""
    fault = entry.fault
    lasts = getattr(fault, "for_", None)
    if isinstance(lasts, For) and lasts.steps is not None and lasts.steps > 1:
        return entry.with_fault(fault.model_copy(update={"for_": For(steps=lasts.steps // 2)}))
    if isinstance(lasts, For | WallTime) and lasts.time is not None and lasts.time > 2 * SHORTEST_SECONDS:
        shorter = type(lasts).model_validate({"time": f"{lasts.time / 2:.3f}s"})
        return entry.with_fault(fault.model_copy(update={"for_": shorter}))
    return None
