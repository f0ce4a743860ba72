"""Packets through one direction of a link, on a clock of the test's own."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.agent.wire.direction import Lane
from harness.vocabulary.instructions import Direction, Impairment


def _lane(bandwidth: float | None = None, latency: float = 0.0, jitter: float = 0.0, queue: int = 1000) -> Lane:
    return Lane(Direction(bandwidth, latency, jitter, queue), Random(1))


def _arrivals(lane: Lane, *packets: tuple[float, int]) -> list[float]:
    return [passage.arrives for now, size in packets for passage in lane.transit(now, size)]


def test_an_untouched_lane_holds_nothing_up() -> None:
    lane = _lane()
    assert lane.plain
    assert _arrivals(lane, (5.0, 1500), (5.0, 100)) == [5.0, 5.0]
    assert (lane.bytes, lane.packets, lane.dropped) == (1600, 2, 0)


def test_packets_pass_one_after_the_other_at_the_bandwidth() -> None:
    lane = _lane(bandwidth=8000.0)  # a byte a millisecond
    assert not lane.plain
    assert _arrivals(lane, (0.0, 100), (0.0, 100), (1.0, 50)) == [0.1, 0.2, 1.05]


def test_latency_comes_after_the_bandwidth() -> None:
    assert _arrivals(_lane(bandwidth=8000.0, latency=0.5), (0.0, 100), (0.0, 100)) == [0.6, 0.7]


def test_a_full_queue_drops_what_comes_and_counts_it() -> None:
    lane = _lane(bandwidth=8000.0, queue=2)
    assert _arrivals(lane, (0.0, 100), (0.0, 100), (0.0, 100)) == [0.1, 0.2]
    assert (lane.bytes, lane.packets, lane.dropped) == (200, 2, 1)
    assert len(lane.transit(0.15, 100)) == 1  # one has left


@given(
    arrivals=st.lists(st.tuples(st.floats(0, 0.01), st.integers(20, 9000)), min_size=1, max_size=60),
    bandwidth=st.one_of(st.none(), st.floats(1e5, 1e10)),
    latency=st.floats(0, 0.1),
    share=st.floats(0, 1),
)
def test_no_packet_overtakes_another_or_comes_before_it_can(
    arrivals: list[tuple[float, int]], bandwidth: float | None, latency: float, share: float
) -> None:
    lane = _lane(bandwidth, latency, latency * share, queue=10**6)
    now, sent, exits = 0.0, 0, []
    for gap, size in arrivals:
        now, sent = now + gap, sent + size
        exits += _arrivals(lane, (now, size))
        assert exits[-1] >= now
    assert exits == sorted(exits)
    if bandwidth is not None:
        assert exits[-1] >= sent * 8 / bandwidth - 1e-9


def test_a_lane_is_as_it_was_once_its_fault_has_ended() -> None:
    lane = _lane()
    lane.impair(3, Impairment(latency=0.5, bandwidth=8000.0), 0.0)
    assert not lane.plain
    assert _arrivals(lane, (0.0, 100)) == [0.6]
    assert lane.restore(3, 9.0) is not None
    assert lane.plain
    assert _arrivals(lane, (1.0, 100)) == [1.0]
    assert lane.restore(3, 9.0) is None


def test_faults_overlap_and_each_counts_for_itself() -> None:
    lane = _lane()
    lane.impair(0, Impairment(latency=0.25), 0.0)
    lane.impair(1, Impairment(latency=0.5), 0.0)
    assert _arrivals(lane, (0.0, 100)) == [0.75]
    first = lane.restore(0, 9.0)
    assert first is not None and (first.packets, first.touched) == (1, 1)
    assert _arrivals(lane, (1.0, 100)) == [1.5]
    second = lane.restore(1, 9.0)
    assert second is not None and (second.packets, second.touched) == (2, 2)


def test_a_blocked_lane_lets_nothing_through() -> None:
    lane = _lane()
    lane.impair(0, Impairment(blocked=True), 0.0)
    assert _arrivals(lane, *[(0.1 * n, 100) for n in range(20)]) == []
    tally = lane.restore(0, 9.0)
    assert tally is not None and (tally.packets, tally.touched, lane.packets) == (20, 20, 0)


@pytest.mark.parametrize(
    ("impairment", "arrive"),
    [(Impairment(loss=0.2), 800), (Impairment(duplicate=0.2), 1200), (Impairment(reorder=0.2, hold=0.5), 1000)],
)
def test_chances_are_as_asked(impairment: Impairment, arrive: int) -> None:
    lane = _lane()
    lane.impair(0, impairment, 0.0)
    assert len(_arrivals(lane, *[(float(n), 100) for n in range(1000)])) == pytest.approx(arrive, abs=50)
    tally = lane.restore(0, 9.0)
    assert tally is not None and tally.touched == pytest.approx(200, abs=50)


def test_a_held_packet_is_overtaken() -> None:
    lane = _lane()
    lane.impair(0, Impairment(reorder=1.0, hold=0.5), 0.0)
    held = _arrivals(lane, (0.0, 100))
    lane.restore(0, 9.0)
    assert _arrivals(lane, (0.1, 100)) < held == [0.5]


def test_the_witness_measures_when_packets_really_left() -> None:
    lane = _lane(latency=0.25)
    lane.impair(0, Impairment(latency=0.5), 0.0)
    (passage,) = lane.transit(1.0, 100)
    lane.arrived(passage, 1.875)  # an eighth of a second late
    tally = lane.restore(0, 9.0)
    assert tally is not None and tally.delay == 0.625


def test_the_witness_measures_the_rate_only_while_packets_wait() -> None:
    lane = _lane()
    lane.impair(0, Impairment(bandwidth=1600.0), 0.0)  # half a second for 100 bytes
    for passage in [way for _ in range(3) for way in lane.transit(1.0, 100)]:
        lane.arrived(passage, passage.arrives)
    tally = lane.restore(0, 9.0)
    assert tally is not None and tally.rate == 1600.0
    lane.impair(1, Impairment(bandwidth=1600.0), 9.0)
    for passage in [way for n in range(3) for way in lane.transit(10.0 + n, 100)]:
        lane.arrived(passage, passage.arrives)
    alone = lane.restore(1, 9.0)
    assert alone is not None and alone.rate is None


def test_a_flapping_lane_blocks_at_the_start_of_each_round() -> None:
    lane = _lane()
    lane.impair(0, Impairment(blocked=True, period=1.0, down=0.25), 10.0)
    passed = [now for now in (10.0, 10.2, 10.3, 10.9, 11.1, 11.3) if lane.transit(now, 100)]
    assert passed == [10.3, 10.9, 11.3]


def test_what_passes_after_a_fault_is_counted() -> None:
    lane = _lane()
    lane.impair(3, Impairment(blocked=True), 1.0)
    lane.transit(1.0, 100)
    lane.restore(3, 2.0)
    lane.transit(3.0, 100)
    lane.count(1, 100)
    assert lane.aftermath() == {3: (2.0, 2, 0)}
    lane.impair(4, Impairment(blocked=True), 4.0)
    lane.transit(4.0, 100)
    assert lane.aftermath()[3] == (2.0, 2, None)  # one was lost, to whichever fault


def test_a_full_queue_after_a_fault_is_the_links_own_matter() -> None:
    lane = _lane(bandwidth=8000.0, queue=2)
    lane.impair(0, Impairment(latency=0.1), 0.0)
    lane.restore(0, 1.0)
    for _ in range(5):
        lane.transit(2.0, 100)
    assert lane.aftermath() == {0: (1.0, 2, 0)}


def test_each_fault_is_told_what_it_added_itself() -> None:
    """Neither the link's own jitter, nor a reordering beside it, nor another fault's latency counts as a fault's."""
    lane = _lane(latency=0.05, jitter=0.01)
    lane.impair(0, Impairment(latency=0.02), 0.0)
    lane.impair(1, Impairment(latency=0.1), 0.0)
    lane.impair(2, Impairment(reorder=0.5, hold=0.2), 0.0)
    for number in range(200):
        for passage in lane.transit(float(number), 100):
            lane.arrived(passage, passage.arrives + 0.001)
    tallies = [lane.restore(fault, 300.0) for fault in (0, 1)]
    assert [tally.delay for tally in tallies if tally] == [pytest.approx(0.021), pytest.approx(0.101)]


def test_packets_that_never_waited_tell_no_rate() -> None:
    """52 bytes at 1 Mbit/s every 0.1 s: rounding is no waiting."""
    lane = _lane()
    lane.impair(0, Impairment(bandwidth=1e6), 0.0)
    for number in range(1, 1000):
        for passage in lane.transit(number * 0.1, 52):
            lane.arrived(passage, passage.arrives)
    tally = lane.restore(0, 200.0)
    assert tally is not None and tally.rate is None


def test_a_packet_is_overtaken_only_where_another_comes_first() -> None:
    lane = _lane()
    lane.impair(0, Impairment(reorder=1.0, hold=0.05), 0.0)
    held = lane.transit(0.0, 100)[0]
    lane.arrived(held, held.arrives)
    lane.impair(1, Impairment(), 1.0)
    first = lane.transit(2.0, 100)[0]
    lane.restore(0, 2.01)
    second = lane.transit(2.02, 100)[0]
    lane.arrived(second, second.arrives)
    lane.arrived(first, first.arrives)
    assert (first.held[0].touched, first.held[0].overtaken) == (2, 1)
