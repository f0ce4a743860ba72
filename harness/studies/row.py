"""What a qualification says of one question: go, no-go or not decided, and the reasons."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

from harness.studies.accepted import Acceptance

Word = Literal["go", "no-go", "not decided"]

NAMED = 3
"""So many of a group are told by themselves; of more, the worst so many in one line."""


@dataclass(frozen=True)
class Reason:
    """Something against the new target, or why nothing can be said, in a sentence.

    ``name``: by which it can be accepted, ""  where it cannot; ``accepted``: because of what it was; ``group``: what it
    is one of, in the plural, where there may be very many that are alike; by that they can be accepted together.
    ``size``: how much worse it may be, as a fraction of the old one's; None where that is no number.
    """

    text: str
    word: Word = "no-go"
    name: str = ""
    accepted: str = ""
    group: str = ""
    size: float | None = None


@dataclass(frozen=True)
class Row:
    """A question, the reasons, worst first, and what was found besides, which decides nothing."""

    title: str
    reasons: tuple[Reason, ...] = ()
    told: tuple[str, ...] = ()
    evidence: tuple[str, ...] = ()
    """The studies that it rests on."""

    @property
    def word(self) -> Word:
        """Of the reasons that were not accepted."""
        return worst(reason.word for reason in self.reasons if not reason.accepted)

    def as_json(self) -> dict[str, Any]:
        """For scripts."""
        return {**asdict(self), "word": self.word}


def worst(words: Iterable[Word]) -> Word:
    """No-go before not decided before go."""
    found = set(words)
    return "no-go" if "no-go" in found else "not decided" if "not decided" in found else "go"


def ordered(reasons: Sequence[Reason]) -> tuple[Reason, ...]:
    """Worst first, those that were accepted last."""
    ranks = {"no-go": 0, "not decided": 1, "go": 2}
    return tuple(sorted(reasons, key=lambda each: (bool(each.accepted), ranks[each.word])))


def accepting(row: Row, known: Mapping[str, Acceptance]) -> Row:
    """With why some of its reasons do not count, by their names or groups; and with what is beyond what is accepted."""
    return replace(row, reasons=ordered([_accepting(each, known) for each in row.reasons]))


def _accepting(reason: Reason, known: Mapping[str, Acceptance]) -> Reason:
    found = [known[name] for name in (reason.name, reason.group) if name in known]
    holds = next((each for each in found if each.covers(reason.size)), None)
    if holds is not None:
        return replace(reason, accepted=holds.because)
    limits = " or ".join(f"{each.up_to * 100:g} %" for each in found if each.up_to is not None)
    unsized = ", and this has no size" if reason.size is None else ""
    return replace(reason, text=f"{reason.text}; accepted up to {limits} only{unsized}") if found else reason


def in_short(reasons: Sequence[Reason]) -> Iterator[Reason]:
    """In their order, what is one of many in one sentence at the place of the first."""
    counts = Counter(_alike(each) for each in reasons if each.group)
    told = set[tuple[str, Word, str]]()
    for each in reasons:
        if counts[_alike(each)] <= NAMED:
            yield each
        elif _alike(each) not in told:
            told.add(_alike(each))
            yield _together([other for other in reasons if _alike(other) == _alike(each)])


def _alike(reason: Reason) -> tuple[str, Word, str]:
    return reason.group, reason.word, reason.accepted


def _together(reasons: Sequence[Reason]) -> Reason:
    worst_ = "; ".join(each.text for each in reasons[:NAMED])
    return replace(reasons[0], text=f"{len(reasons)} {reasons[0].group}, the worst: {worst_}", name=reasons[0].group)
