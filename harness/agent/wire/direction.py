"""One direction of a link: when does a packet that enters now leave? Pure; time is given."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from random import Random

from harness.agent.wire.tcp import Flow, Segment
from harness.vocabulary.instructions import Direction, Impairment


@dataclass
class Passage:
    """One packet's way to or from a ``peer``: when its last bit has left the queue, when it arrives, what faults add.

    ``waits``: others were before it in the queue. ``serial``: its place among those that entered. ``hold``: seconds for
    which faults hold it back so that others overtake it.
    """

    size: int
    serial: int
    peer: int
    through: float
    arrives: float
    waits: bool
    concerned: tuple[Tally, ...] = ()
    added: tuple[float, ...] = ()
    held: tuple[Tally, ...] = ()
    hold: float = 0.0


@dataclass
class Connections:
    """What a fault knows of TCP connections, in both directions of a link: torn down, or opened since it began."""

    torn: set[Flow] = field(default_factory=set)
    fresh: set[Flow] = field(default_factory=set)


@dataclass(eq=False)
class Tally:
    """What came by while a fault impaired the lane.

    ``exits``: when the last packet to each peer would have arrived without it. ``travelling``: packets under way.
    """

    impairment: Impairment
    since: float
    peer: int | None = None
    connections: Connections = field(default_factory=Connections)
    exits: dict[int, float] = field(default_factory=dict)
    packets: int = 0
    touched: int = 0
    overtaken: int = 0
    travelling: int = 0
    arrived: int = 0
    delays: float = 0.0
    backlog_bits: int = 0
    backlog_seconds: float = 0.0

    def concerns(self, peer: int) -> bool:
        """Whether it is of packets to or from this host."""
        return self.peer is None or self.peer == peer

    def blocks(self, now: float) -> bool:
        """Whether nothing passes now."""
        impairment = self.impairment
        return impairment.blocked and (
            not impairment.period or (now - self.since) % impairment.period < impairment.down
        )

    def tears(self, segment: Segment) -> bool:
        """Whether the connection of a segment is torn down: each that was there when the fault began."""
        known = self.connections
        if not self.impairment.reset or segment.flow in known.fresh:
            return False
        if segment.opens:
            known.fresh.add(segment.flow)
            return False
        self.packets += 1
        if segment.flow not in known.torn:
            known.torn.add(segment.flow)
            self.touched += 1
        return True

    @property
    def delay(self) -> float | None:
        """Mean seconds that packets arrived later than they would have without this fault."""
        return self.delays / self.arrived if self.arrived else None

    @property
    def rate(self) -> float | None:
        """Bits/s while packets waited."""
        return self.backlog_bits / self.backlog_seconds if self.backlog_seconds else None


@dataclass(frozen=True)
class Aftermath:
    """Where the counters of a lane stood when a fault ended; ``alone`` if no other fault was on it since."""

    since: float
    offered: int
    packets: int
    dropped: int
    alone: bool


class Lane:
    """Carries packets one after the other at ``bandwidth``, then delays each; those beyond ``queue`` are dropped.

    The time at which the lane is free again is reckoned, not observed, so that late wake-ups of the wire do not add up.
    Several faults may impair a lane at once: latencies add up, the lowest bandwidth holds, chances are independent.
    """

    def __init__(self, shape: Direction, random: Random) -> None:
        self._shape, self._random = shape, random
        self._tallies: dict[int, Tally] = {}
        self._free_at = self._last_departure = 0.0
        self._exits: dict[int, float] = {}
        self._waiting: deque[float] = deque()
        self._newest_arrived = 0
        self.bytes = self.packets = self.dropped = self.offered = 0
        self._ended: dict[int, Aftermath] = {}
        self._refresh()

    def impair(
        self,
        fault: int,
        impairment: Impairment,
        now: float,
        peer: int | None = None,
        connections: Connections | None = None,
    ) -> None:
        """Let a fault begin, for packets to or from all hosts or one."""
        self._tallies[fault] = Tally(impairment, now, peer, connections or Connections(), dict(self._exits))
        self._ended = {number: replace(aftermath, alone=False) for number, aftermath in self._ended.items()}
        self._refresh()

    def restore(self, fault: int, now: float) -> Tally | None:
        """Let a fault end; what it did, or None when it did not impair this lane."""
        tally = self._tallies.pop(fault, None)
        if tally is not None:
            self._ended[fault] = Aftermath(now, self.offered, self.packets, self.dropped, not self._tallies)
        self._refresh()
        return tally

    def aftermath(self) -> dict[int, tuple[float, int, int | None]]:
        """Since each fault ended: when that was, packets that passed, and packets lost.

        None where another fault was there, to which they may be due.
        """
        return {
            fault: (then.since, self.packets - then.packets, self._lost_since(then))
            for fault, then in self._ended.items()
        }

    def _lost_since(self, then: Aftermath) -> int | None:
        """Packets that found a full queue are the link's own matter."""
        passed = self.packets - then.packets + self.dropped - then.dropped
        return max(0, self.offered - then.offered - passed) if then.alone else None

    def tears(self, segment: Segment, peer: int) -> bool:
        """Whether a fault tears the connection of a segment down."""
        torn = [tally.concerns(peer) and tally.tears(segment) for tally in self._tallies.values()]
        return any(torn)

    def _refresh(self) -> None:
        impairments = [tally.impairment for tally in self._tallies.values()]
        limits = [self._shape.bandwidth, *(impairment.bandwidth for impairment in impairments)]
        self._bandwidth = min((limit for limit in limits if limit is not None), default=None)
        self.resets = any(impairment.reset for impairment in impairments)
        self.plain = not impairments and self._bandwidth is None and self._shape.latency == 0.0

    @property
    def bandwidth(self) -> float | None:
        """Bits/s that hold now; None is no limit."""
        return self._bandwidth

    def requeue(self, queued: Sequence[Passage], gone: Sequence[Passage], before: float | None, now: float) -> None:
        """Reckon anew when packets leave that are in the queue, in its order, since the bandwidth was ``before``.

        Of the first, what is sent already is not sent again. Those that are ``gone`` from the queue are not overtaken.
        """
        self._free_at = now
        self._exits = {}
        for tally in self._tallies.values():
            tally.exits = {}
        for passage in gone:
            self._reckon(passage, passage.arrives - passage.hold)
        self._waiting.clear()
        for place, passage in enumerate(queued):
            bits = passage.size * 8.0
            if place == 0 and before is not None:
                bits = min(bits, (passage.through - now) * before)
            delay = passage.arrives - passage.hold - passage.through
            self._free_at += bits / self._bandwidth if self._bandwidth is not None else 0.0
            passage.through = self._free_at
            passage.arrives = self._reckon(passage, passage.through + delay) + passage.hold
            if self._bandwidth is not None:
                self._waiting.append(passage.through)

    def _reckon(self, passage: Passage, earliest: float) -> float:
        """When a packet arrives, and would have without each fault, but for what holds it back."""
        exit_ = self._exit(passage.peer, earliest)
        added = dict(zip(map(id, passage.concerned), passage.added, strict=True))
        for tally in self._tallies.values():
            _exit_without(tally, passage.peer, exit_ - added.get(id(tally), 0.0))
        return exit_

    def _exit(self, peer: int, earliest: float) -> float:
        """When a packet to or from a peer arrives: not before the one that came before it."""
        self._exits[peer] = max(self._exits.get(peer, 0.0), earliest)
        return self._exits[peer]

    def count(self, packets: int, size: int) -> None:
        """Count packets that pass, of ``size`` bytes in all."""
        self.bytes += size
        self.packets += packets
        self.offered += packets

    def transit(self, now: float, size: int, peer: int = 0) -> list[Passage]:
        """The ways of a packet of ``size`` bytes to or from a host that enters at ``now``.

        None when it is dropped, two when it is doubled.
        """
        concerned = [tally for tally in self._tallies.values() if tally.concerns(peer)]
        for tally in concerned:
            tally.packets += 1
        if self._is_lost(concerned, now):
            self.offered += 1
            return []
        copies = 1 + sum(self._hit(tally, tally.impairment.duplicate) for tally in concerned)
        passages = [self._pass(now, size, peer, concerned) for _ in range(copies)]
        return [passage for passage in passages if passage is not None]

    def _is_lost(self, concerned: list[Tally], now: float) -> bool:
        """Every fault draws, so that the share of each is what was asked."""
        hits = [self._hit(tally, 1.0 if tally.blocks(now) else tally.impairment.loss) for tally in concerned]
        return any(hits)

    def _hit(self, tally: Tally, share: float) -> bool:
        hit = share > 0.0 and self._random.random() < share
        tally.touched += hit
        return hit

    def _pass(self, now: float, size: int, peer: int, concerned: list[Tally]) -> Passage | None:
        through, waits = now, False
        if self._bandwidth is not None:
            waiting = self._waiting
            while waiting and waiting[0] <= now:
                waiting.popleft()
            if len(waiting) >= self._shape.queue:
                self.dropped += 1
                self.offered += 1
                return None
            waits = self._free_at > now
            through = self._free_at = max(now, self._free_at) + size * 8 / self._bandwidth
            waiting.append(through)
        self.count(1, size)
        return self._delayed(Passage(size, self.packets, peer, through, through, waits, tuple(concerned)))

    def _delayed(self, passage: Passage) -> Passage:
        """Set when a packet arrives. It overtakes another of its peer only where a fault holds that one back."""
        own = [self._added(tally) for tally in passage.concerned]
        earliest = passage.through + self._shape.latency + self._spread(self._shape.jitter) + sum(own)
        exit_ = self._exit(passage.peer, earliest)
        passage.added = tuple(
            exit_ - _exit_without(tally, passage.peer, earliest - added)
            for tally, added in zip(passage.concerned, own, strict=True)
        )
        passage.held = tuple(tally for tally in passage.concerned if self._hit(tally, tally.impairment.reorder))
        passage.hold = sum(tally.impairment.hold for tally in passage.held)
        passage.arrives = exit_ + passage.hold
        for tally in passage.concerned:
            tally.travelling += 1
        return passage

    def _added(self, tally: Tally) -> float:
        """Seconds that a fault adds to the latency of a packet."""
        impairment = tally.impairment
        if not impairment.latency:
            return 0.0
        tally.touched += 1
        return impairment.latency + self._spread(impairment.jitter)

    def _spread(self, jitter: float) -> float:
        return self._random.uniform(-jitter, jitter) if jitter else 0.0

    def arrived(self, passage: Passage, now: float) -> None:
        """A packet was really written at ``now``: the witness of what was asked."""
        late = now - passage.arrives
        departed = passage.through + late
        for tally, added in zip(passage.concerned, passage.added, strict=True):
            tally.travelling -= 1
            tally.arrived += 1
            tally.delays += added + late
            if passage.waits and self._last_departure > tally.since and departed > self._last_departure:
                tally.backlog_bits += passage.size * 8
                tally.backlog_seconds += departed - self._last_departure
        for tally in passage.held:
            tally.overtaken += self._newest_arrived > passage.serial
        self._newest_arrived = max(self._newest_arrived, passage.serial)
        self._last_departure = max(self._last_departure, departed)


def _exit_without(tally: Tally, peer: int, earliest: float) -> float:
    """When a packet would have arrived if the fault of a tally had delayed neither it nor those before it."""
    tally.exits[peer] = max(tally.exits.get(peer, 0.0), earliest)
    return tally.exits[peer]
