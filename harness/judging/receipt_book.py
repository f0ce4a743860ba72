"""Collects, in one pass, what the receipts of an arm's faults are judged by."""

from __future__ import annotations

from collections.abc import Sequence

from harness.faults import CanBeIdle, SeenHealed
from harness.planning.plan import Arm, Injection
from harness.statistics.series import BoundedSeries
from harness.vocabulary.events import Event, Healed, Injected, Window
from harness.vocabulary.receipts import Evidence, Receipt


class _Case:
    """One fault on one role or host: what it reads, and the windows within it and around it."""

    def __init__(self, injection: Injection) -> None:
        self.injection = injection
        self.active = self.injected = False
        self.changed = 0.0
        self.events: list[Event] = []
        self.inside, self.outside = BoundedSeries(), BoundedSeries()

    def mark(self, event: Injected | Healed) -> None:
        """Note when the fault begins and ends, if the event is of this fault."""
        if event.fault == self.injection.fault:
            self.injected = True
            self.active = isinstance(event, Injected)
            self.changed = event.t
            self.events.append(event)

    def measure(self, window: Window) -> None:
        """Take a window into account; one that spans the start or end of the fault belongs to neither side."""
        if window.t - window.seconds >= self.changed:
            (self.inside if self.active else self.outside).add(window.seconds / window.steps)

    def keep(self, event: Event) -> None:
        """Keep an event that the receipt reads, unless it is of another fault."""
        kinds = self.injection.part.evidence
        own = getattr(event, "fault", self.injection.fault) == self.injection.fault
        if self.injected and own and isinstance(event, kinds):
            self.events.append(event)

    def receipt(self) -> Receipt:
        """Judge whether the fault happened and was undone, from what was kept."""
        injection = self.injection
        fault = injection.part
        if not self.injected:
            why = "the run ended before it was due"
            return Receipt(injection.fault, fault.name, injection.subject, False, why)
        evidence = Evidence(self.events, self.inside.points, self.outside.points)
        proven, sentence = fault.receipt(evidence)
        restored, seen = fault.restored(evidence) if isinstance(fault, SeenHealed) else (None, "")
        idle = isinstance(fault, CanBeIdle) and fault.idle(evidence)
        return Receipt(injection.fault, fault.name, injection.subject, proven, sentence, restored, seen, idle)


class ReceiptBook:
    """Hears the events of an arm and says which of its faults are proven."""

    def __init__(self, arm: Arm) -> None:
        self._warmup = arm.workload.warmup
        self._cases = [_Case(injection) for injection in arm.schedule]
        self._by_subject: dict[str, list[_Case]] = {}
        for case in self._cases:
            self._by_subject.setdefault(case.injection.subject, []).append(case)
        kinds = {kind: None for injection in arm.schedule for kind in injection.part.evidence}
        self.hears: tuple[type[Event], ...] = (Injected, Healed, Window, *kinds) if self._cases else ()

    def add(self, event: Event) -> None:
        """Take one event into account."""
        for case in self._by_subject.get(event.subject, ()):
            if isinstance(event, Injected | Healed):
                case.mark(event)
            elif not isinstance(event, Window):
                case.keep(event)
            elif event.first >= self._warmup:
                case.measure(event)

    def receipts(self) -> Sequence[Receipt]:
        """One receipt for each planned fault."""
        return [case.receipt() for case in self._cases]
