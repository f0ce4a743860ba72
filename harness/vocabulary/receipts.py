"""What proves that a fault happened, and the evidence that it is read from."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeVar

from harness.vocabulary.events import Event, Exited, Impaired, Signalled

Kind = TypeVar("Kind", bound=Event)
Dose = Literal["", "as asked", "unclear", "off"]
MOMENT_SECONDS = 0.1
"""A fault that another one cut short so soon may not have acted: the agent may be that late."""

GONE = ("", "Z", "X")
"""States in ``/proc`` of a process that is no more."""


@dataclass(frozen=True)
class Receipt:
    """What independent evidence says of one fault on one role or host.

    ``proven``: it happened, and its dose is not known to be off. ``happened``: it acted at all. ``superseded``: the
    number of the fault that made it impossible, or cut it short. ``restored``: whether what it acted on was seen to be
    as before; None where there is nothing to restore or to see. ``idle``: nothing came by that it could act on.
    ``dose``: whether it was what was asked, which may be finer than can be told; "" where it has none.
    """

    fault: int
    name: str
    subject: str
    proven: bool
    evidence: str
    restored: bool | None = None
    afterwards: str = ""
    idle: bool = False
    happened: bool = True
    dose: Dose = ""
    superseded: int | None = None

    @property
    def word(self) -> str:
        """What it comes to, for people."""
        if self.restored is False:
            return "not undone"
        if self.proven:
            return "proven, dose unclear" if self.dose == "unclear" else "proven"
        if self.superseded is not None:
            return f"superseded by {self.superseded}"
        return "dose is off" if self.happened else "missing"

    @property
    def stands(self) -> bool:
        """Whether a run in which the fault is like this answers what was asked: proven, or not possible any more."""
        return self.restored is not False and (self.proven or self.superseded is not None)


@dataclass(frozen=True)
class Evidence:
    """What the history has of the subjects of a fault since it began: its own events, and those of no fault.

    ``inside`` and ``outside``: seconds a step of the windows within the fault and (warm-up excluded) around it.
    ``subjects``: whom it concerns; more than one where it is of the whole job. ``taken``: steps of the windows within.
    """

    events: Sequence[Event]
    inside: Sequence[float] = ()
    outside: Sequence[float] = ()
    subjects: Sequence[str] = ()
    taken: Collection[int] = ()

    def all(self, kind: type[Kind]) -> list[Kind]:
        """Every event of a kind, in order."""
        return [event for event in self.events if isinstance(event, kind)]

    def first(self, kind: type[Kind]) -> Kind | None:
        """The first event of a kind, if there is any."""
        return next(iter(self.all(kind)), None)

    def of(self, subject: str) -> Evidence:
        """The part of it that is of one subject."""
        return replace(self, events=[event for event in self.events if event.subject == subject], subjects=(subject,))

    def signalled(self, name: str) -> Signalled | None:
        """The first signal of that name since the fault began, if any was sent."""
        return next((event for event in self.all(Signalled) if event.signal == name), None)


def dose(
    off: float, allowed: float, above: float, sentence: str, doubt: str, *, below: float = 0.0
) -> tuple[bool | None, str]:
    """Whether a dose is as asked, in words: ``off``, up or down, by no more than is ``allowed``.

    None, with the ``doubt``, where it is off by more, but by no more than can be measured or kept: so far ``above``
    what was asked, or ``below`` it. Who is late gives too much, never too little.
    """
    if abs(off) <= allowed:
        return True, sentence
    return (None, f"{sentence}, {doubt}") if -below <= off <= above else (False, sentence)


def share_proof(report: Impaired, asked: float, what: str) -> tuple[bool, str]:
    """Whether as many packets were touched as chance allows for the asked share (four standard deviations)."""
    share = report.touched / report.packets
    spread = 4 * math.sqrt(asked * (1 - asked) / report.packets) + 1 / report.packets
    proven = report.touched > 0 and abs(share - asked) <= spread
    return proven, f"{report.touched} of {report.packets} packets {what} ({share:.2%}) in {report.seconds:.3f} s"


def killed(evidence: Evidence) -> tuple[bool, str]:
    """Whether the kernel's exit status names signal 9, and ``/proc`` shows a zombie or nothing."""
    sent, exited = evidence.signalled("KILL"), evidence.first(Exited)
    if sent is None:
        return False, "no KILL was sent"
    if sent.before in GONE:
        return False, "the process was gone already"
    if exited is None or exited.signal != 9:
        return False, "the process did not end by signal 9"
    state = "gone" if sent.after == "" else f"state {sent.after}"
    return sent.after in GONE, f"ended by signal 9; /proc shows it {state}"
