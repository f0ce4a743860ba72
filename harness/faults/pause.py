"""The process stands still and comes back: a garbage collection, a migrated virtual machine, a debugger."""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field

from harness.faults import Fault, Life, Proof, Tolerance
from harness.vocabulary.events import Event, Signalled
from harness.vocabulary.instructions import Instruction, Signal
from harness.vocabulary.receipts import GONE, Evidence, dose
from harness.vocabulary.schedule import WallTime

PROMPT_SECONDS = 0.05
"""A pause may be longer by as much as a busy machine needs to end it."""

RAN_AT_MOST = 0.001
"""Seconds on a processor that a thread may take to notice."""


class Pause(Fault):
    """SIGSTOP, then SIGCONT after the given time. The kernel still acknowledges TCP for it: a hang, not a partition."""

    name: ClassVar[str] = "pause"
    evidence: ClassVar[tuple[type[Event], ...]] = (Signalled,)
    exclusive: ClassVar[bool] = True
    for_: WallTime = Field(alias="for")
    tolerance: Tolerance = 0.1

    @property
    def life(self) -> Life:
        return Life(self.for_, suspends=True)

    def inject(self, subject: str, number: int) -> tuple[Instruction, ...]:
        return (Signal(subject, "STOP", number),)

    def heal(self, subject: str, number: int) -> tuple[Instruction, ...]:
        return (Signal(subject, "CONT", number),)

    def receipt(self, evidence: Evidence) -> Proof:
        """``/proc`` shows state T after STOP and still T before CONT, and no thread was on a processor in between."""
        stop, cont = evidence.signalled("STOP"), evidence.signalled("CONT")
        if stop is None:
            return False, "no STOP was sent"
        states = f"/proc state {stop.after or 'gone'} after STOP"
        if cont is None:
            return stop.after == "T", states
        states += f", {cont.before or 'gone'} before CONT, {cont.after or 'gone'} after it"
        if cont.before in GONE:  # it was about to leave
            return stop.after == "T", states
        ran = cont.ran - stop.ran
        stood = stop.after == "T" and cont.before == "T" and cont.after != "T" and ran <= RAN_AT_MOST
        return stood, f"{states}; {ran * 1e3:.1f} ms run in between"

    def dose(self, evidence: Evidence) -> tuple[bool | None, str]:
        """From one signal to the other; of a process that left meanwhile nobody can tell."""
        stop, cont = evidence.signalled("STOP"), evidence.signalled("CONT")
        if stop is None or cont is None:
            return False, "no CONT was sent"
        if cont.before in GONE:
            return None, "it left meanwhile"
        lasted = cont.t - stop.t
        sentence = f"{lasted:.3f} s apart, {self.for_.time:g} s were asked"
        doubt = f"and a busy machine may be {PROMPT_SECONDS:g} s late"
        return dose(lasted - self.for_.time, self.tolerance * self.for_.time, PROMPT_SECONDS, sentence, doubt)

    def restored(self, evidence: Evidence) -> tuple[bool | None, str]:
        cont = evidence.signalled("CONT")
        if cont is None or cont.after in GONE:
            return None, ""
        return cont.after != "T", f"/proc state {cont.after}"
