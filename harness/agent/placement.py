"""Which processors a process keeps to: where sides take turns, each process of one has those of the same of another.

Processors of one virtual machine need not be equally fast, and not always. What the kernel moves about meets them by
luck, and its twin meets others. Until it has imported MXNet, which takes longest, each runs where there is room.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Collection
from contextlib import suppress
from pathlib import Path

from harness.agent import proc
from harness.vocabulary.instructions import Share

MAIN_APART = "HARNESS_MAIN_APART"
"""Set for a process whose main thread keeps to the first of its processors, and all others to the rest."""

_LOOKS = 10
"""For threads that started meanwhile: who starts new ones all the time must not keep the agent from its work."""


def processors(share: Share, allowed: Collection[int]) -> set[int]:
    """Of those that are ``allowed``: equal parts, at least one, and as many as there are threads that compute."""
    known = sorted(allowed)
    part = max(1, len(known) // share.of)
    width = min(len(known), max(part, share.threads))
    return {known[(share.place * part + number) % len(known)] for number in range(width)}


def environment(share: Share, own: Collection[int]) -> dict[str, str]:
    """What a process that keeps to its ``own`` has to know.

    With several threads that compute it is left to the kernel where each runs: none would help the first otherwise.
    """
    return {MAIN_APART: "1"} if share.threads == 1 and len(own) > 1 else {}


def keep(processes: Collection[int], own: Collection[int]) -> None:
    """Let every thread of some processes, and of what they have started, keep to their ``own`` processors."""
    placed = set[int]()
    for _ in range(_LOOKS):  # one that is not placed yet may start another meanwhile
        new = _threads(processes) - placed
        for thread in new:
            with suppress(OSError):  # it ended, or is somebody else's
                os.sched_setaffinity(thread, own)
        placed |= new
        if not new:
            return


def _threads(processes: Collection[int]) -> set[int]:
    found = set[int]()
    for process in {*processes, *itertools.chain.from_iterable(map(proc.descendants, processes))}:
        with suppress(OSError):
            found |= {int(thread.name) for thread in Path(f"/proc/{process}/task").iterdir()}
    return found
