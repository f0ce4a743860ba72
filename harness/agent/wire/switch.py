"""All links of a pocket cluster: where does a packet go, and when does it arrive? Pure; time is given."""

from __future__ import annotations

import heapq
import socket
from collections.abc import Sequence
from itertools import count
from random import Random

from harness.agent.wire.direction import Lane
from harness.instructions import Host

Arrival = tuple[int, bytes]
"""Number of the host, packet."""

_DESTINATION = slice(16, 20)


class Switch:
    """Hosts by number. ``accept`` takes a packet from one, ``due`` returns those that have arrived."""

    def __init__(self, hosts: Sequence[Host], seed: int) -> None:
        self._number = {socket.inet_aton(host.address): number for number, host in enumerate(hosts)}
        self.out = [Lane(host.out, Random(f"{seed} {host.name} out")) for host in hosts]
        self.in_ = [Lane(host.in_, Random(f"{seed} {host.name} in")) for host in hosts]
        self._travelling: list[tuple[float, int, bool, int, bytes]] = []
        self._serial = count()

    def accept(self, source: int, packet: bytes, now: float) -> Arrival | None:
        """An IP packet from a host; returned at once where no link holds it up. What is for nobody is not carried."""
        target = self._number.get(packet[_DESTINATION]) if packet[0] >> 4 == 4 else None
        if target is None:
            return None
        left = self.out[source].transit(now, len(packet))
        if left is None:
            return None
        if left > now:
            self._travel(left, False, target, packet)
            return None
        return self._enter(target, packet, now, now)

    def _enter(self, target: int, packet: bytes, at: float, now: float) -> Arrival | None:
        arrives = self.in_[target].transit(at, len(packet))
        if arrives is None:
            return None
        if arrives > now:
            self._travel(arrives, True, target, packet)
            return None
        return target, packet

    def _travel(self, until: float, on_last_leg: bool, target: int, packet: bytes) -> None:
        heapq.heappush(self._travelling, (until, next(self._serial), on_last_leg, target, packet))

    def due(self, now: float) -> list[Arrival]:
        """Packets that have arrived by ``now``, in order."""
        arrived = []
        while self._travelling and self._travelling[0][0] <= now:
            at, _, on_last_leg, target, packet = heapq.heappop(self._travelling)
            arrival = (target, packet) if on_last_leg else self._enter(target, packet, at, now)
            if arrival is not None:
                arrived.append(arrival)
        return arrived

    @property
    def next_due(self) -> float | None:
        """When the next packet leaves a link."""
        return self._travelling[0][0] if self._travelling else None
