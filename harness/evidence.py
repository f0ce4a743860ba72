"""Collects, in one pass, what the receipts of an arm's faults are judged by."""

from __future__ import annotations

from collections.abc import Sequence

from harness.events import (
    Checkpointing,
    Damaged,
    Environment,
    Event,
    Exited,
    Failed,
    Filled,
    Healed,
    Hogged,
    Impaired,
    Injected,
    Limited,
    Signalled,
    Spawned,
    Tampered,
    Throttled,
    Window,
)
from harness.plan import Arm, Injection
from harness.receipts import Evidence, Receipt
from harness.statistics.series import BoundedSeries


class _Case:
    """One fault on one role."""

    def __init__(self, injection: Injection) -> None:
        self.injection = injection
        self.active = self.injected = False
        self.changed = 0.0
        self.events: list[Event] = []
        self.inside, self.outside = BoundedSeries(), BoundedSeries()


class ReceiptBook:
    """Hears the events of an arm and says which of its faults are proven."""

    hears: tuple[type[Event], ...] = (
        Injected, Healed, Spawned, Signalled, Throttled, Impaired, Environment, Limited, Hogged, Filled, Damaged,
        Tampered, Checkpointing, Failed, Exited, Window,
    )  # fmt: skip

    def __init__(self, arm: Arm) -> None:
        self._warmup = arm.workload.warmup
        self._cases = [_Case(injection) for injection in arm.schedule]

    def add(self, event: Event) -> None:
        """Take one event into account."""
        for case in self._cases:
            if event.role != case.injection.role:
                continue
            if isinstance(event, Injected | Healed):
                if event.fault == case.injection.fault:
                    case.injected = True
                    case.active = isinstance(event, Injected)
                    case.changed = event.t
                    case.events.append(event)
            elif isinstance(event, Window):
                self._window(case, event)
            elif case.injected and getattr(event, "fault", case.injection.fault) == case.injection.fault:
                case.events.append(event)

    def _window(self, case: _Case, window: Window) -> None:
        """Windows that span the start or end of the fault belong to neither side."""
        if window.first < self._warmup or window.t - window.seconds < case.changed:
            return
        (case.inside if case.active else case.outside).add(window.seconds / window.steps)

    def receipts(self) -> Sequence[Receipt]:
        """One receipt for each planned fault."""
        return [_receipt(case) for case in self._cases]


def _receipt(case: _Case) -> Receipt:
    injection = case.injection
    fault = injection.part
    if not case.injected:
        return Receipt(injection.fault, fault.name, injection.role, False, "the run ended before it was due")
    evidence = Evidence(case.events, case.inside.points, case.outside.points)
    proven, said = fault.receipt(evidence)
    restored, seen = fault.restored(evidence)
    return Receipt(injection.fault, fault.name, injection.role, proven, said, restored, seen)
