"""What each link carried after the warm-up, as the wire counted it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

from harness.measures import Measure
from harness.planning.plan import Arm
from harness.vocabulary.events import Done, Event
from harness.vocabulary.events import Traffic as TrafficEvent
from harness.vocabulary.quantities import Quantity


@dataclass
class _Link:
    """Counts at the end of the warm-up and at the last time anybody asked."""

    first: TrafficEvent
    last: TrafficEvent

    def since_start(self, field: str) -> int:
        return int(getattr(self.last, field)) - int(getattr(self.first, field))


class Traffic(Measure):
    """Bytes and packets, IP headers included, that each host sent and received, and those that full queues dropped."""

    name: ClassVar[str] = "traffic"
    hears: ClassVar[tuple[type[Event], ...]] = (TrafficEvent, Done)

    def __init__(self, arm: Arm) -> None:
        super().__init__(arm)
        self._links: dict[str, _Link] = {}
        self._done: dict[str, int] = {}

    def add(self, event: Event) -> None:
        if isinstance(event, Done):
            self._done[event.subject] = event.step
        elif isinstance(event, TrafficEvent):
            self._links.setdefault(event.subject, _Link(event, event)).last = event

    def quantities(self) -> Iterable[Quantity]:
        if self.arm.network is None:
            yield Quantity("sent_bytes", "B", None, note="processes talk over loopback; give topology.network")
            return
        for host, link in sorted(self._links.items()):
            if link.last is link.first:
                yield Quantity("sent_bytes", "B", None, subject=host, note="nothing was counted after the warm-up")
                continue
            dropped = link.since_start("out_dropped") + link.since_start("in_dropped")
            yield Quantity("dropped_packets", "packets", dropped, 1, subject=host)
            for name, way in (("sent", "out"), ("received", "in")):
                count = link.since_start(f"{way}_bytes")
                yield Quantity(f"{name}_bytes", "B", count, 1, subject=host)
                yield Quantity(f"{name}_packets", "packets", link.since_start(f"{way}_packets"), 1, subject=host)
                yield self._per_step(f"{name}_per_step", count, host)

    def _per_step(self, name: str, count: int, host: str) -> Quantity:
        if self._done.keys() != set(self.arm.workers):
            return Quantity(name, "B/step", None, subject=host, note="not all workers trained to the end")
        steps = (self.arm.workload.steps or max(self._done.values())) - self.arm.workload.warmup
        if steps <= 0:
            return Quantity(name, "B/step", None, subject=host, note="no step after the warm-up")
        return Quantity(name, "B/step", count / steps, 1, subject=host)
