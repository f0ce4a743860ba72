"""What is asked of two targets, by the names of passes, and in words. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from harness.studies import call_times
from harness.studies.exchanged import SIDES
from harness.studies.ways import WAYS, Way

PASSES = tuple(f"{side}{way}" for way in ("", *(f"-{way.name}" for way in WAYS)) for side in SIDES)
"""Each target as it usually computes, then in other ways; in alternation, as all else."""

AGAIN = tuple(tuple(f"{name}-{word}" for name in PASSES) for word in ("again", "once-more", "fourth", "fifth"))
"""Of operators that differ between targets, or between ways; of those that did so both times; and so on.

What is so in one pass of two is so in three of three, and never with the other target, in one case of 64.
"""

FORKED = (*PASSES, *AGAIN[1], *AGAIN[2])
"""Passes whose processes are forks, which is quicker; what differs only in these does not stand in the others."""

DIFFERING = 2
"""From which of these on only what differs between targets is asked, and not what is alike in both."""

SMALLER = "smaller"
"""What fails in the new target only, with calls that are made smaller while it does."""

MORE = "now-and-then"
"""What only the new target does now and then, some more times of both."""

EXCHANGED = "files"
"""What each target makes of files that the other one wrote."""

TIMES = ("times", *(f"times-{number}" for number in range(2, call_times.PAIRS + 1)))
"""What calls take, both targets by turns: of all operators, then, in fresh processes, of those that still differ."""

_WORDS = {
    "from": "the old one",
    "to": "the new one",
    SMALLER: "what fails, with less",
    MORE: "what the new one does now and then",
    EXCHANGED: "files that the other one reads",
}


def words(key: str, ways: Sequence[Way] = WAYS) -> str:
    """A pass, or what else is asked of both, as its progress names it: ``to-naive-again``, ``times-2``.

    ``ways``: those that are other ways; what remains is the usual one.
    """
    if key in TIMES:
        return f"what calls take, pair {TIMES.index(key) + 1} of {len(TIMES)} at most"
    number = next((number for number, passes in enumerate(AGAIN, 2) if key in passes), None)
    called = _WORDS.get(key) or _WORDS[key.partition("-")[0]]
    way = next((f" {way.words if way in ways else 'once more'}" for way in WAYS if f"-{way.name}" in key), "")
    return f"{called}{way}{'' if number is None else f', what differs, pass {number} of {len(AGAIN) + 1} at most'}"


def before(number: int) -> Sequence[str]:
    """All passes before a round over what differs."""
    return [*PASSES, *(name for passes in AGAIN[:number] for name in passes)]
