"""The process stands still and comes back: a garbage collection, a migrated virtual machine, a debugger."""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field

from harness.faults import Fault, Life, Proof
from harness.vocabulary.events import Event, Signalled
from harness.vocabulary.instructions import Instruction, Signal
from harness.vocabulary.receipts import Evidence
from harness.vocabulary.schedule import WallTime

LONG_ENOUGH = 0.9
RAN_AT_MOST = 0.001
"""Seconds on a processor that a thread may take to notice."""


class Pause(Fault):
    """SIGSTOP, then SIGCONT after the given time. The kernel still acknowledges TCP for it: a hang, not a partition."""

    name: ClassVar[str] = "pause"
    evidence: ClassVar[tuple[type[Event], ...]] = (Signalled,)
    for_: WallTime = Field(alias="for")

    @property
    def life(self) -> Life:
        return Life(self.for_, suspends=True)

    def inject(self, subject: str, number: int) -> tuple[Instruction, ...]:
        return (Signal(subject, "STOP"),)

    def heal(self, subject: str, number: int) -> tuple[Instruction, ...]:
        return (Signal(subject, "CONT"),)

    def receipt(self, evidence: Evidence) -> Proof:
        """``/proc`` shows state T after STOP and still T before CONT, and no thread was on a processor in between."""
        stop, cont = evidence.signalled("STOP"), evidence.signalled("CONT")
        if stop is None or cont is None:
            return False, f"no {'STOP' if stop is None else 'CONT'} was sent"
        lasted, ran = cont.t - stop.t, cont.ran - stop.ran
        states_fit = stop.after == "T" and cont.before == "T" and cont.after != "T"
        proven = states_fit and lasted >= LONG_ENOUGH * self.for_.time and ran <= RAN_AT_MOST
        states = f"/proc state {stop.after or 'gone'} after STOP, {cont.before or 'gone'} before CONT, "
        return proven, states + f"{cont.after or 'gone'} after it; {lasted:.3f} s apart, {ran * 1e3:.1f} ms of them run"

    def restored(self, evidence: Evidence) -> tuple[bool | None, str]:
        cont = evidence.signalled("CONT")
        if cont is None or cont.after in ("", "Z", "X"):
            return None, ""
        return cont.after != "T", f"/proc state {cont.after}"
