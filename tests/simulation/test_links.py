"""Links in virtual time: packets, faults that come and go, and what must hold of every packet and every report."""

from __future__ import annotations

import socket
from collections import Counter
from random import Random

from harness.agent.wire.switch import Switch
from harness.vocabulary.instructions import Direction, Host, Impair, Impairment, Restore

SEEDS = 300
SECONDS = 4.0
SIZE = 1000
BASE = Direction(None, 0.01, 0.0, 100_000)
HOSTS = tuple(Host(name, f"10.77.0.{n}", BASE, Direction(None, 0.0, 0.0, 100_000)) for n, name in enumerate("abc", 1))
IMPAIRMENTS = (
    Impairment(latency=0.02),
    Impairment(latency=0.05, jitter=0.01),
    Impairment(bandwidth=2e6),
    Impairment(bandwidth=5e5),
    Impairment(loss=0.3),
    Impairment(blocked=True),
    Impairment(reorder=0.3, hold=0.03),
)


def _packet(serial: int, target: int) -> bytes:
    head = bytearray(SIZE)
    head[0] = 0x45
    head[16:20] = socket.inet_aton(HOSTS[target].address)
    head[20:28] = serial.to_bytes(8, "big")
    return bytes(head)


class Links:
    """A switch under random traffic, with faults on the way out of host ``a``; packets leave when they are due."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.switch = Switch(HOSTS, seed)
        self.entered: dict[int, float] = {}
        self.left: dict[int, float] = {}
        self.copies: Counter[int] = Counter()
        self.faults: dict[int, tuple[float, float, Impairment]] = {}
        self.reports: dict[int, tuple[int, int, float | None, float | None, int]] = {}
        self.now = 0.0

    def run(self) -> None:
        begins = sorted(self.random.uniform(0, SECONDS) for _ in range(3))
        plan = [(begin, begin + self.random.uniform(0.1, 1.0), self.random.choice(IMPAIRMENTS)) for begin in begins]
        moments = [(begin, number, "begin") for number, (begin, _, _) in enumerate(plan)]
        moments += [(end, number, "end") for number, (_, end, _) in enumerate(plan)]
        packets = sorted(self.random.uniform(0, SECONDS + 1.0) for _ in range(self.random.randint(50, 600)))
        happenings = sorted([*((t, n, "packet") for n, t in enumerate(packets)), *moments])
        self.faults = dict(enumerate(plan))
        for t, number, what in happenings:
            self._until(t)
            if what == "packet":
                self.entered[number] = t
                self.switch.accept(0, _packet(number, 1), t)
            elif what == "begin":
                self.switch.impair(Impair("a", number, "out", plan[number][2]), t)
            else:
                tally = self.switch.restore(Restore("a", number), t)["out"]
                self.reports[number] = (tally.packets, tally.touched, tally.delay, tally.rate, tally.overtaken)
        self._until(1000.0)

    def _until(self, t: float) -> None:
        while (due := self.switch.next_due) is not None and due <= t:
            self.now = max(self.now, due)
            for _, packet in self.switch.due(self.now):
                serial = int.from_bytes(packet[20:28], "big")
                self.left[serial] = self.now
                self.copies[serial] += 1


def _broken(links: Links) -> list[str]:
    """What is wrong with a run of links."""
    lane = links.switch.out[0]
    lost = set(links.entered) - set(links.left)
    harmful = [number for number, (_, _, impairment) in links.faults.items() if impairment.loss or impairment.blocked]
    wrong = []
    if max(links.copies.values(), default=1) > 1:
        wrong.append("a packet came twice")
    if lane.offered != len(links.entered) or lane.packets != len(links.left) or lane.dropped:
        wrong.append(f"{lane.offered} offered, {lane.packets} passed, of {len(links.entered)} and {len(links.left)}")
    if any(links.left[serial] < links.entered[serial] + BASE.latency - 1e-9 for serial in links.left):
        wrong.append("a packet came before it could")
    for serial in lost:
        within = [n for n in harmful if links.faults[n][0] <= links.entered[serial] <= links.faults[n][1]]
        if not within:
            wrong.append(f"packet {serial} was lost, and no fault was in force")
    last = max((end for _, end, _ in links.faults.values()), default=0.0)
    for serial, left in links.left.items():
        if links.entered[serial] > last + 0.2 and left - links.entered[serial] > BASE.latency + 1e-9:
            wrong.append(f"packet {serial} was late after all faults")
    return wrong + [sentence for number in links.reports for sentence in _of_fault(links, number)]


def _of_fault(links: Links, number: int) -> list[str]:
    """What is wrong with the report of one fault."""
    begin, end, impairment = links.faults[number]
    packets, touched, delay, rate, overtaken = links.reports[number]
    inside = [serial for serial, t in links.entered.items() if begin <= t <= end]
    wrong = []
    if packets != len(inside):
        wrong.append(f"fault {number} tells of {packets} packets, {len(inside)} came by")
    alone = all(
        other == number or o_end < begin or end < o_begin for other, (o_begin, o_end, _) in links.faults.items()
    )
    off = 0.0 if delay is None else delay - impairment.latency
    if alone and not -impairment.jitter - 1e-9 <= off <= 2 * impairment.jitter + 1e-9:
        wrong.append(f"fault {number} tells {delay:.4f} s, and added {impairment.latency:.4f}")
    if not impairment.latency and delay is not None and delay > 1e-9:
        wrong.append(f"fault {number} tells {delay:.4f} s, and added none")
    if impairment.bandwidth is not None and rate is not None and alone and rate > impairment.bandwidth * 1.01:
        wrong.append(f"fault {number} tells {rate:.0f} bit/s, and lets {impairment.bandwidth:.0f} pass")
    if impairment.blocked and touched != packets:
        wrong.append(f"fault {number} blocked {touched} of {packets}")
    if overtaken and not impairment.reorder:
        wrong.append(f"fault {number} tells of {overtaken} overtaken packets")
    return wrong


def test_no_link_breaks_a_law() -> None:
    for seed in range(SEEDS):
        links = Links(seed)
        links.run()
        assert not _broken(links), f"seed {seed}: {_broken(links)[:3]} {links.faults}"
