"""What a qualification says of one question: go, no-go or not decided, and the reasons."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

Word = Literal["go", "no-go", "not decided"]


@dataclass(frozen=True)
class Reason:
    """Something against the new target, or why nothing can be said, in a sentence.

    ``name``: by which it can be accepted, ""  where it cannot; ``accepted``: because of what it was.
    """

    text: str
    word: Word = "no-go"
    name: str = ""
    accepted: str = ""


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
