"""Runs of a comparison that said nothing, other sides that were lost in them, and how often is enough."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from harness.base.printable import printable
from harness.vocabulary.events import Ended

Kind = Literal["of another", "to try again", "in vain"]
"""Of a run: another side was lost, or it says nothing of any other, to be run again where the study is resumed."""

TRIES = 3
"""Runs that failed, in a row or of another side, before it is given up."""

_UNAVAILABLE = "RefusedError"
"""What a worker raises whose MXNet does not have what is asked (`harness/worker/failures.py`): to try again is vain."""


@dataclass
class Failed:
    """``told``: of each run, why. ``fallen``: of each other side, how it failed, every time.

    ``in_a_row``: those since a run told something; ``lost``: the other sides, once for each time, since sides live as
    they do.
    """

    told: list[str] = field(default_factory=list)
    fallen: dict[str, list[str]] = field(default_factory=dict)
    in_a_row: list[Kind] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)

    def add(self, why: str, kind: Kind) -> None:
        """A run more."""
        self.told.append(why)
        self.in_a_row.append(kind)

    def add_lost(self, why: Mapping[str, str]) -> None:
        """A run in which other sides did not train to their end, and why each of them did not."""
        self.add("; ".join(why.values()), "of another")
        self.lost += why
        for side, told in why.items():
            self.fallen.setdefault(side, []).append(told)

    def interrupted(self) -> None:
        """A run told something."""
        self.in_a_row.clear()

    def begin_anew(self) -> None:
        """Sides live otherwise from now on, and have not failed so."""
        self.lost.clear()
        self.in_a_row.clear()

    @property
    def often(self) -> bool:
        """Whether there were enough in a row."""
        return len(self.in_a_row) >= TRIES

    @property
    def in_vain(self) -> bool:
        """Whether runs failed too often, one after the other, for anything to be said.

        Not while each is of some other side: of these one will be the answer.
        """
        return self.often and {*self.in_a_row} != {"of another"}

    @property
    def tries_again(self) -> bool:
        """Whether any of these is run again when the study is opened again."""
        return "to try again" in self.in_a_row

    def is_out(self, side: str) -> bool:
        """Whether another side failed often enough for that to be the answer."""
        return self.lost.count(side) >= TRIES


def why_lost(side: str, ended: Ended) -> str:
    """How a side ended, in words, with the last line that it said."""
    return f"{side} did not train to the end: {ended.outcome}: {ended.reason}{_said(ended)}"


def why_not(side: str, ended: Ended, reason: str) -> str:
    """Why a run says nothing, of a side that was lost in it."""
    return f"{side}: {reason}{_said(ended)}"


def _said(ended: Ended) -> str:
    """The last line that it said, as a terminal may have it."""
    return "".join(f"; it said last: {printable(line)}" for line in ended.log.strip().splitlines()[-1:])


def is_unavailable(ended: Ended) -> bool:
    """Whether its MXNet does not have what was asked."""
    return ended.outcome == "refused" and _UNAVAILABLE in ended.reason
