"""What proves that a fault happened, and the evidence that it is read from."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

from harness.vocabulary.events import Event, Exited, Impaired, Signalled

Kind = TypeVar("Kind", bound=Event)


@dataclass(frozen=True)
class Receipt:
    """What independent evidence says of one fault on one role or host.

    ``restored``: whether what it acted on was seen to be as before; None where there is nothing to restore or to see.
    ``idle``: nothing came by that it could act on.
    """

    fault: int
    name: str
    subject: str
    proven: bool
    evidence: str
    restored: bool | None = None
    afterwards: str = ""
    idle: bool = False


@dataclass(frozen=True)
class Evidence:
    """What the history has of one role or host since the fault began.

    ``inside`` and ``outside``: seconds a step of the windows within the fault and (warm-up excluded) around it.
    """

    events: Sequence[Event]
    inside: Sequence[float] = ()
    outside: Sequence[float] = ()

    def all(self, kind: type[Kind]) -> list[Kind]:
        """Every event of a kind, in order."""
        return [event for event in self.events if isinstance(event, kind)]

    def first(self, kind: type[Kind]) -> Kind | None:
        """The first event of a kind, if there is any."""
        return next(iter(self.all(kind)), None)

    def signalled(self, name: str) -> Signalled | None:
        """The first signal of that name since the fault began, if any was sent."""
        return next((event for event in self.all(Signalled) if event.signal == name), None)


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
    if exited is None or exited.signal != 9:
        return False, "the process did not end by signal 9"
    state = "gone" if sent.after == "" else f"state {sent.after}"
    return sent.after in ("", "Z", "X"), f"ended by signal 9; /proc shows it {state}"
