"""What each link carried while the job trained, as the wire counted it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

from harness.events import Event
from harness.events import Traffic as TrafficEvent
from harness.measures import Measure, Quantity
from harness.plan import Arm


@dataclass
class _Link:
    """Counts at the first credit and at the last time anybody asked."""

    first: TrafficEvent
    last: TrafficEvent

    def since_start(self, field: str) -> int:
        return int(getattr(self.last, field)) - int(getattr(self.first, field))


class Traffic(Measure):
    """Bytes and packets, IP headers included, that each host sent and received, and those that full queues dropped."""

    name: ClassVar[str] = "traffic"
    hears: ClassVar[tuple[type[Event], ...]] = (TrafficEvent,)

    def __init__(self, arm: Arm) -> None:
        super().__init__(arm)
        self._links: dict[str, _Link] = {}

    def add(self, event: Event) -> None:
        assert isinstance(event, TrafficEvent)
        self._links.setdefault(event.role, _Link(event, event)).last = event

    def quantities(self) -> Iterable[Quantity]:
        if self.arm.network is None:
            yield Quantity("sent_bytes", "B", None, note="processes talk over loopback; give topology.network")
            return
        for host, link in sorted(self._links.items()):
            sent, received = link.since_start("out_bytes"), link.since_start("in_bytes")
            yield Quantity("sent_bytes", "B", sent, 1, role=host)
            yield Quantity("received_bytes", "B", received, 1, role=host)
            yield Quantity("sent_per_step", "B/step", sent / self.arm.workload.steps, 1, role=host)
            yield Quantity("received_per_step", "B/step", received / self.arm.workload.steps, 1, role=host)
            yield Quantity("sent_packets", "packets", link.since_start("out_packets"), 1, role=host)
            yield Quantity("received_packets", "packets", link.since_start("in_packets"), 1, role=host)
            dropped = link.since_start("out_dropped") + link.since_start("in_dropped")
            yield Quantity("dropped_packets", "packets", dropped, 1, role=host)
