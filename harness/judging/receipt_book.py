"""Collects, in one pass, what the receipts of an arm's faults are judged by."""

from __future__ import annotations

from collections.abc import Sequence

from harness.faults import CanBeIdle, Dosed, SeenHealed
from harness.planning.plan import Arm, Injection
from harness.statistics.series import BoundedSeries
from harness.vocabulary.events import Event, Healed, Injected, Superseded, Window, Withdrawn
from harness.vocabulary.receipts import MOMENT_SECONDS, Dose, Evidence, Receipt

_NOT_TRAINED_WITH = "batches were changed, but nobody trained with them"
_DOSES: dict[bool | None, Dose] = {True: "as asked", None: "unclear", False: "off"}


class _Case:
    """One fault on its subjects: what it reads, and the windows within it and around it."""

    def __init__(self, injection: Injection, subjects: Sequence[str]) -> None:
        self.injection, self.subjects = injection, subjects
        self.superseded: Superseded | None = None
        self.cut_short = self.long = False
        self.active = self.injected = False
        self.changed = self.lasted = 0.0
        self.events: list[Event] = []
        self.inside, self.outside = BoundedSeries(), BoundedSeries()
        self.taken: set[int] = set()
        self.withdrawn = False

    def mark(self, event: Injected | Healed | Superseded) -> None:
        """Note when the fault begins, ends or cannot act any more, if the event is of this fault."""
        if event.fault != self.injection.fault:
            return
        if isinstance(event, Superseded):
            self.superseded, self.cut_short = event, self.active
            self.long = self.long or self._in_force_until(event.t)
        else:
            self.injected = True
            self.long = self.long or self._in_force_until(event.t)
            self.lasted += event.t - self.changed if self.active else 0.0
            self.active = isinstance(event, Injected)
            self.changed = event.t
            self.events.append(event)

    def _in_force_until(self, now: float) -> bool:
        """Whether it has been in force for more than a moment."""
        return self.active and now - self.changed >= MOMENT_SECONDS

    def measure(self, window: Window, warm: bool) -> None:
        """Take a window into account; one that spans the start or end of the fault belongs to neither side.

        Step times count only once the job is ``warm``, the steps of a fault always.
        """
        if window.t - window.seconds < self.changed:
            return
        if warm:
            (self.inside if self.active else self.outside).add(window.seconds / window.steps)
        if self.active and self.injection.part.kind == "worker":
            self.taken.update(range(window.first, window.first + window.steps))

    def keep(self, event: Event) -> None:
        """Keep an event that the receipt reads: one of this fault, or one that is of none."""
        if isinstance(event, Withdrawn):
            self._withdraw(event)
            return
        own = getattr(event, "fault", None) in (None, self.injection.fault)
        if self.injected and own and isinstance(event, self.injection.part.evidence):
            self.events.append(event)

    def _withdraw(self, event: Withdrawn) -> None:
        """Forget the first thing that was told of the fault in that step."""
        reports = (each for each in self.events if not isinstance(each, Injected | Healed))
        told = (each for each in reports if getattr(each, "step", None) == event.step)
        if event.fault == self.injection.fault and (first := next(told, None)) is not None:
            self.events.remove(first)
            self.withdrawn = True

    def receipt(self) -> Receipt:
        """Judge whether the fault happened and was undone, from what was kept."""
        injection, by = self.injection, self.superseded
        fault = injection.part
        head = (injection.fault, fault.name, injection.subject)
        cause = "" if by is None else f"superseded by fault {by.by}: {by.reason}"
        if not self.injected:
            why = cause or "the run, or its process, ended before it was due"
            return Receipt(*head, False, why, happened=False, superseded=by.by if by else None)
        evidence = Evidence(self.events, self.inside.points, self.outside.points, self.subjects, self.taken)
        happened, sentence = fault.receipt(evidence)
        sentence = sentence if happened or not self.withdrawn else _NOT_TRAINED_WITH
        fits, measured = fault.dose(evidence) if happened and isinstance(fault, Dosed) else (None, "")
        restored, seen = fault.restored(evidence) if isinstance(fault, SeenHealed) else (None, "")
        told = cause if self.cut_short or not happened else self._shortened()
        excused = by is not None and (happened or not self.long or not self.cut_short)
        return Receipt(
            *head,
            proven=happened and fits is not False,
            evidence="; ".join(filter(None, (sentence, measured, told))),
            restored=None if self.cut_short and happened else restored,
            afterwards=seen,
            idle=isinstance(fault, CanBeIdle) and fault.idle(evidence),
            happened=happened,
            dose=_DOSES[fits] if measured else "",
            superseded=by.by if by is not None and excused else None,
        )

    def _shortened(self) -> str:
        """That it was in force for less than was asked, where it was and no other fault is the cause."""
        life = self.injection.part.life
        if life.seconds is None or life.suspends or self.active:
            return ""
        if life.seconds - self.lasted < MOMENT_SECONDS:
            return ""
        return f"in force for {self.lasted:.2f} of {life.seconds:g} s, to the end of its process or the arm"


class ReceiptBook:
    """Hears the events of an arm and says which of its faults are proven."""

    def __init__(self, arm: Arm) -> None:
        self._warmup = arm.workload.warmup
        roles = [role.name for role in arm.roles]
        self._cases = [
            _Case(injection, roles if injection.part.life.whole_job else [injection.subject])
            for injection in arm.schedule
        ]
        self._by_subject: dict[str, list[_Case]] = {}
        for case in self._cases:
            for subject in case.subjects:
                self._by_subject.setdefault(subject, []).append(case)
        kinds = {kind: None for injection in arm.schedule for kind in injection.part.evidence}
        self.hears: tuple[type[Event], ...] = (
            (Injected, Healed, Superseded, Window, Withdrawn, *kinds) if self._cases else ()
        )

    def add(self, event: Event) -> None:
        """Take one event into account."""
        for case in self._by_subject.get(event.subject, ()):
            if isinstance(event, Injected | Healed | Superseded):
                case.mark(event)
            elif not isinstance(event, Window):
                case.keep(event)
            elif event.subject == case.injection.subject:
                case.measure(event, warm=event.first >= self._warmup)

    def receipts(self) -> Sequence[Receipt]:
        """One receipt for each planned fault."""
        return [case.receipt() for case in self._cases]
