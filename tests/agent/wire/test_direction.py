"""Packets through one direction of a link, on a clock of the test's own."""

from __future__ import annotations

from random import Random

from hypothesis import given
from hypothesis import strategies as st

from harness.agent.wire.direction import Lane
from harness.instructions import Direction


def _lane(bandwidth: float | None = None, latency: float = 0.0, jitter: float = 0.0, queue: int = 1000) -> Lane:
    return Lane(Direction(bandwidth, latency, jitter, queue), Random(1))


def test_an_untouched_lane_holds_nothing_up() -> None:
    lane = _lane()
    assert lane.plain
    assert [lane.transit(5.0, 1500), lane.transit(5.0, 100)] == [5.0, 5.0]
    assert (lane.bytes, lane.packets, lane.dropped) == (1600, 2, 0)


def test_packets_pass_one_after_the_other_at_the_bandwidth() -> None:
    lane = _lane(bandwidth=8000.0)  # a byte a millisecond
    assert [lane.transit(0.0, 100), lane.transit(0.0, 100), lane.transit(1.0, 50)] == [0.1, 0.2, 1.05]


def test_latency_comes_after_the_bandwidth() -> None:
    lane = _lane(bandwidth=8000.0, latency=0.5)
    assert [lane.transit(0.0, 100), lane.transit(0.0, 100)] == [0.6, 0.7]


def test_a_full_queue_drops_what_comes_and_counts_it() -> None:
    lane = _lane(bandwidth=8000.0, queue=2)
    assert [lane.transit(0.0, 100) for _ in range(3)] == [0.1, 0.2, None]
    assert (lane.bytes, lane.packets, lane.dropped) == (200, 2, 1)
    assert lane.transit(0.15, 100) is not None  # one has left


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
        exits.append(lane.transit(now, size) or 0.0)
        assert exits[-1] >= now
    assert exits == sorted(exits)
    if bandwidth is not None:
        assert exits[-1] >= sent * 8 / bandwidth - 1e-9
