"""What all faults that touch a share of the packets have in common, for tests of each."""

from __future__ import annotations

from harness.faults import LinkFault
from harness.vocabulary.events import Impaired
from harness.vocabulary.instructions import Impair, Impairment, Restore
from harness.vocabulary.receipts import Evidence
from harness.vocabulary.schedule import For

WRITTEN = {"select": {"host": "worker-1"}, "at": {"step": 50}, "for": {"steps": 100}, "share": "5%"}


def told(*counts: tuple[int, int]) -> Evidence:
    """Packets and those touched, out and in."""
    ways = zip(("out", "in"), counts, strict=True)
    return Evidence([impaired(way, *count) for way, count in ways])


def impaired(
    way: str,
    packets: int,
    touched: int,
    delay: float | None = None,
    rate: float | None = None,
    overtaken: int = 0,
) -> Impaired:
    """What the wire says of one direction after two seconds."""
    return Impaired(1.0, "main", "worker-1", 4, way, 2.0, packets, touched, overtaken, delay, rate)


def acts_both_ways_or_one(fault: LinkFault, impairment: Impairment) -> None:
    """It asks the wire for the impairment, in the direction that is given."""
    both = tuple(Impair("worker-1", 4, way, impairment) for way in ("out", "in"))
    assert fault.inject("worker-1", 4) == both
    assert fault.heal("worker-1", 4) == (Restore("worker-1", 4),)
    assert fault.life.duration == For(steps=100)
    assert fault.model_copy(update={"direction": "in"}).inject("worker-1", 4) == both[1:]


def proven_by_its_share(fault: LinkFault, what: str) -> None:
    """Five of a hundred packets, give or take what chance allows, prove it; ``what`` happened to them."""
    for packets, touched, proven in (
        (1000, 50, True),
        (1000, 75, True),
        (1000, 78, True),  # the share is off by 2.8 %, and chance allows 2.76 % and a packet
        (1000, 79, False),
        (1000, 22, True),
        (1000, 21, False),
        (10, 1, True),
        (1000, 100, False),
        (1000, 0, False),
        (10, 0, False),
    ):
        assert fault.receipt(told((packets, touched), (packets, touched)))[0] is proven
    sentence = f"out: 50 of 1000 packets {what} (5.00%) in 2.000 s; in: no packet came by in 2.000 s"
    assert fault.receipt(told((1000, 50), (0, 0))) == (True, sentence)
    assert fault.receipt(Evidence(())) == (False, "out: the wire reported nothing; in: the wire reported nothing")
