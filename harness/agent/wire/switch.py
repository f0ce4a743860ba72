"""All links of a pocket cluster: where does a packet go, and when does it arrive? Pure; time is given."""

from __future__ import annotations

import heapq
import socket
from collections.abc import Sequence
from itertools import count, product
from random import Random

from harness.agent.wire import tcp
from harness.agent.wire.direction import Connections, Lane, Passage, Tally
from harness.agent.wire.straight import Route
from harness.vocabulary.instructions import Host, Impair, Restore, Way

Arrival = tuple[int, bytes]
"""Number of the host, packet."""

_DESTINATION = slice(16, 20)
"""Of an IPv4 packet."""


class Switch:
    """Hosts by number. A packet goes along an open route, or ``accept`` takes it and ``due`` returns it in time."""

    def __init__(self, hosts: Sequence[Host], seed: int) -> None:
        self._number = {socket.inet_aton(host.address): number for number, host in enumerate(hosts)}
        self._named = {host.name: number for number, host in enumerate(hosts)}
        self.out = [Lane(host.out, Random(f"{seed} {host.name} out")) for host in hosts]
        self.in_ = [Lane(host.in_, Random(f"{seed} {host.name} in")) for host in hosts]
        self._travelling: list[tuple[float, int, Lane, Passage, int, int, bytes]] = []
        self._serial = count()
        self._forged: list[Arrival] = []
        self._connections: dict[int, Connections] = {}
        self.addresses = list(self._number)
        """Of each host, as packets have them."""
        self.routes = (Route * len(hosts) ** 2)()
        """From each host to each, by source, then target: those that are open need no `accept`."""
        self._under_way = [0] * len(hosts) ** 2
        self._open_all()

    def _open_all(self) -> None:
        for index in range(len(self.routes)):
            self._open(index)

    def _open(self, index: int) -> None:
        """Let packets go straight, or not: only where nothing holds them up, nor one that they would overtake."""
        source, target = divmod(index, len(self.out))
        self.routes[index].open = self.out[source].plain and self.in_[target].plain and not self._under_way[index]

    def settle(self) -> None:
        """Count what went straight where it belongs."""
        for (out, in_), route in zip(product(self.out, self.in_), self.routes, strict=True):
            if route.packets:
                out.count(route.packets, route.bytes)
                in_.count(route.packets, route.bytes)
                route.packets = route.bytes = 0

    def accept(self, source: int, packet: bytes, now: float) -> None:
        """Take an IP packet from a host whose route is not open. What is for nobody is not carried."""
        target = self._number.get(packet[_DESTINATION]) if packet[0] >> 4 == 4 else None
        if target is None:
            return
        resets = self.out[source].resets or self.in_[target].resets
        if not (resets and self._torn(source, target, packet)):
            self._enter(self.out[source], source, target, packet, now)

    def _torn(self, source: int, target: int, packet: bytes) -> bool:
        """Tear the packet's connection down, if a fault asks for that: both ends hear of it instead of the packet."""
        segment = tcp.parse(packet)
        if segment is None:
            return False
        torn = [self.out[source].tears(segment, target), self.in_[target].tears(segment, source)]
        if any(torn):
            self._forged += zip((source, target), segment.resets(), strict=True)
        return any(torn)

    def _enter(self, lane: Lane, source: int, target: int, packet: bytes, at: float) -> None:
        peer = source if lane is self.in_[target] else target
        for passage in lane.transit(at, len(packet), peer):
            way = (passage, source, target, packet)
            heapq.heappush(self._travelling, (passage.arrives, next(self._serial), lane, *way))
            self._under_way[source * len(self.out) + target] += 1

    def due(self, now: float) -> list[Arrival]:
        """Packets that have arrived by ``now``, in order."""
        arrived, self._forged = self._forged, []
        while self._travelling and self._travelling[0][0] <= now:
            at, _, lane, passage, source, target, packet = heapq.heappop(self._travelling)
            route = source * len(self.out) + target
            self._under_way[route] -= 1
            lane.arrived(passage, now)
            if lane is self.in_[target]:
                arrived.append((target, packet))
            else:
                self._enter(self.in_[target], source, target, packet, at)
            if not self._under_way[route]:
                self._open(route)
        return arrived

    @property
    def next_due(self) -> float | None:
        """When the next packet leaves a link."""
        if self._forged:
            return 0.0
        return self._travelling[0][0] if self._travelling else None

    def impair(self, wanted: Impair, now: float) -> None:
        """Let a fault begin on one direction of a host's link."""
        peer = self._named[wanted.peer] if wanted.peer else None
        known = self._connections.setdefault(wanted.fault, Connections())
        self.settle()
        lane = self._lanes(wanted.subject)[wanted.direction]
        before = lane.bandwidth
        lane.impair(wanted.fault, wanted.impairment, now, peer, known)
        self._requeue(lane, before, now)
        self._open_all()

    def restore(self, wanted: Restore, now: float) -> dict[Way, Tally]:
        """Let a fault end on a host's link; what it did, by direction."""
        self.settle()
        ended = {}
        for way, lane in self._lanes(wanted.subject).items():
            before = lane.bandwidth
            ended[way] = lane.restore(wanted.fault, now)
            self._requeue(lane, before, now)
        self._open_all()
        return {way: tally for way, tally in ended.items() if tally is not None}

    def _requeue(self, lane: Lane, before: float | None, now: float) -> None:
        """What waits in a lane's queue leaves at its new bandwidth."""
        if lane.bandwidth == before:
            return
        passages = sorted((way[3] for way in self._travelling if way[2] is lane), key=lambda passage: passage.through)
        queued = [passage for passage in passages if passage.through > now]
        lane.requeue(queued, passages[: len(passages) - len(queued)], before, now)
        self._travelling = [(way[3].arrives, *way[1:]) for way in self._travelling]
        heapq.heapify(self._travelling)

    def _lanes(self, host: str) -> dict[Way, Lane]:
        number = self._named[host]
        return {"out": self.out[number], "in": self.in_[number]}
