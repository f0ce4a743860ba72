"""Packets between hosts, on a clock of the test's own."""

from __future__ import annotations

import socket

from harness.agent.wire.switch import Switch
from harness.vocabulary.instructions import Direction, Host, Impair, Impairment, Restore
from tests.agent.wire.test_tcp import segment

FREE = Direction(None, 0.0, 0.0, 1000)


def packet(to: str, size: int = 100) -> bytes:
    return bytes([0x45]) + bytes(15) + socket.inet_aton(to) + bytes(size - 20)


def _switch(out: Direction = FREE, in_: Direction = FREE) -> Switch:
    return Switch([Host(name, f"10.77.0.{n}", out, in_) for n, name in enumerate("abc", 1)], 0)


def _open(switch: Switch) -> list[list[int]]:
    """From each host: those to which packets go straight."""
    return [[to for to in range(3) if switch.routes[3 * source + to].open] for source in range(3)]


def test_packets_on_untouched_routes_are_counted_when_asked() -> None:
    switch = _switch()
    assert _open(switch) == [[0, 1, 2]] * 3
    route = switch.routes[2]
    route.packets, route.bytes = 3, 250
    switch.settle()
    switch.settle()
    lanes = (switch.out[0], switch.in_[2], switch.in_[0])
    assert [(lane.bytes, lane.packets, lane.offered) for lane in lanes] == [(250, 3, 3), (250, 3, 3), (0, 0, 0)]


def test_what_is_for_nobody_or_not_ipv4_is_not_carried() -> None:
    switch = _switch()
    switch.accept(0, packet("10.77.0.9"), 1.0)
    switch.accept(0, bytes([0x60]) + bytes(59), 1.0)
    assert (switch.out[0].packets, switch.next_due) == (0, None)


def test_both_legs_take_their_time() -> None:
    leg = Direction(1600.0, 0.0, 0.0, 1000)  # 0.5 s for 100 bytes
    switch, sent = _switch(Direction(1600.0, 0.25, 0.0, 1000), leg), packet("10.77.0.2")
    assert _open(switch) == [[], [], []]
    switch.accept(0, sent, 1.0)
    assert switch.next_due == 1.75
    assert switch.due(1.75) == []
    assert switch.next_due == 2.25
    assert switch.due(2.2) == []
    assert switch.due(2.25) == [(1, sent)]
    assert switch.next_due is None


def test_two_senders_share_the_way_into_one_host() -> None:
    leg = Direction(1600.0, 0.0, 0.0, 1000)
    switch = _switch(FREE, leg)
    switch.accept(0, packet("10.77.0.3"), 1.0)
    switch.accept(1, packet("10.77.0.3"), 1.0)
    assert switch.due(1.0) == []
    assert [len(switch.due(t)) for t in (1.4, 1.5, 1.9, 2.0)] == [0, 1, 0, 1]


def test_late_looks_do_not_delay_what_follows() -> None:
    leg = Direction(8000.0, 0.0, 0.0, 1000)
    switch = _switch(leg, leg)
    switch.accept(0, packet("10.77.0.2"), 1.0)
    assert switch.due(5.0) == [(1, packet("10.77.0.2"))]  # left at 1.1, arrived at 1.2


def test_a_full_queue_on_the_second_leg_drops() -> None:
    switch = _switch(FREE, Direction(8000.0, 0.0, 0.0, 1))
    switch.accept(0, packet("10.77.0.2"), 1.0)
    switch.accept(2, packet("10.77.0.2"), 1.0)
    assert switch.due(1.0) == []
    assert (switch.in_[1].packets, switch.in_[1].dropped) == (1, 1)


def test_a_fault_on_one_link_leaves_the_others_alone() -> None:
    switch = _switch()
    switch.routes[1].packets = 7
    switch.impair(Impair("b", 0, "in", Impairment(latency=0.5)), 0.0)
    assert switch.in_[1].packets == 7
    assert _open(switch) == [[0, 2]] * 3
    switch.accept(0, packet("10.77.0.2"), 1.0)
    assert switch.due(1.0) == []
    assert len(switch.due(1.5)) == 1
    assert [(way, tally.packets) for way, tally in switch.restore(Restore("b", 0), 9.0).items()] == [("in", 1)]
    assert _open(switch) == [[0, 1, 2]] * 3


def _tcp(source: str, target: str, seq: int = 5, ack: int = 7, flags: int = 0x10) -> bytes:
    return segment(socket.inet_aton(source), socket.inet_aton(target), (40, 9000), seq, ack, flags)


def test_a_connection_that_was_there_is_torn_down_at_both_ends_and_a_new_one_is_not() -> None:
    switch = _switch()
    switch.impair(Impair("a", 0, "out", Impairment(reset=True)), 1.0)
    switch.accept(0, _tcp("10.77.0.1", "10.77.0.2"), 1.0)
    assert switch.next_due == 0.0
    back, on = switch.due(1.0)
    assert (back[0], on[0]) == (0, 1)
    fresh = segment(socket.inet_aton("10.77.0.1"), socket.inet_aton("10.77.0.2"), (41, 9000), 1, 0, 0x02)
    switch.accept(0, fresh, 1.0)
    assert switch.due(1.0) == [(1, fresh)]
    assert switch.restore(Restore("a", 0), 2.0)["out"].touched == 1


def test_a_fault_towards_one_peer_leaves_the_others_alone() -> None:
    switch = _switch()
    switch.impair(Impair("a", 0, "out", Impairment(blocked=True), peer="b"), 1.0)
    switch.accept(0, packet("10.77.0.2"), 1.0)
    switch.accept(0, packet("10.77.0.3"), 1.0)
    assert [target for target, _ in switch.due(1.0)] == [2]
    assert switch.restore(Restore("a", 0), 2.0)["out"].packets == 1


def test_what_is_opened_after_a_reset_began_lives_in_both_directions() -> None:
    switch = _switch()
    for way in ("out", "in"):
        switch.impair(Impair("a", 0, way, Impairment(reset=True)), 1.0)  # type: ignore[arg-type]
    switch.accept(0, _tcp("10.77.0.1", "10.77.0.2", flags=0x02), 1.0)
    switch.due(1.0)
    a, b = (socket.inet_aton(f"10.77.0.{n}") for n in (1, 2))
    answer = segment(b, a, (9000, 40), 1, 6, 0x12)
    switch.accept(1, answer, 1.0)
    assert switch.due(1.0) == [(0, answer)]


def test_what_waits_in_a_queue_leaves_at_the_new_bandwidth() -> None:
    """Ten packets of 100 bytes at 8 kbit/s take a second; healed after 0.15 s, the rest of them is there at once."""
    switch = _switch()
    switch.impair(Impair("a", 0, "out", Impairment(bandwidth=8000.0)), 0.0)
    for _ in range(10):
        switch.accept(0, packet("10.77.0.2"), 0.0)
    assert len(switch.due(0.15)) == 1
    switch.restore(Restore("a", 0), 0.15)
    assert len(switch.due(0.15)) == 9
    assert switch.next_due is None


def test_what_is_sent_already_is_not_sent_again_when_the_bandwidth_changes() -> None:
    switch = _switch(Direction(8000.0, 0.25, 0.0, 1000))
    for _ in range(2):
        switch.accept(0, packet("10.77.0.2"), 0.0)
    switch.impair(Impair("a", 0, "out", Impairment(bandwidth=4000.0)), 0.05)
    assert switch.due(0.39) == []  # the half that was left takes 0.1 s, and then the way 0.25 s
    assert len(switch.due(0.41)) == 1
    assert switch.due(0.59) == []
    assert len(switch.due(0.61)) == 1


def test_what_is_no_tcp_passes_while_connections_are_torn_down() -> None:
    switch = _switch()
    switch.impair(Impair("a", 0, "out", Impairment(reset=True)), 1.0)
    switch.accept(0, packet("10.77.0.2"), 1.0)
    assert switch.due(1.0) == [(1, packet("10.77.0.2"))]


def test_connections_to_other_peers_are_left_alone_and_each_is_torn_down_once() -> None:
    switch = _switch()
    for host, way in (("a", "out"), ("a", "in")):
        switch.impair(Impair(host, 0, way, Impairment(reset=True), peer="b"), 1.0)  # type: ignore[arg-type]
    for target in ("10.77.0.2", "10.77.0.3", "10.77.0.2"):
        switch.accept(0, _tcp("10.77.0.1", target), 1.0)
    switch.accept(1, segment(socket.inet_aton("10.77.0.2"), socket.inet_aton("10.77.0.1"), (9000, 41), 5, 7, 0x10), 1.0)
    switch.accept(2, segment(socket.inet_aton("10.77.0.3"), socket.inet_aton("10.77.0.1"), (9000, 42), 5, 7, 0x10), 1.0)
    assert [target for target, _ in switch.due(1.0)] == [0, 1, 0, 1, 1, 0, 2, 0]
    tallies = switch.restore(Restore("a", 0), 2.0)
    assert [(tally.touched, tally.packets) for tally in tallies.values()] == [(1, 2), (1, 1)]


def test_what_is_sent_after_a_fault_overtakes_nothing_that_is_under_way() -> None:
    switch = _switch()
    switch.impair(Impair("a", 0, "out", Impairment(latency=0.5)), 0.0)
    switch.accept(0, packet("10.77.0.2"), 1.0)
    switch.restore(Restore("a", 0), 1.1)
    assert _open(switch) == [[0, 2], [0, 1, 2], [0, 1, 2]]
    switch.accept(0, packet("10.77.0.2", 60), 1.2)
    assert switch.due(1.4) == []
    assert switch.due(1.5) == [(1, packet("10.77.0.2")), (1, packet("10.77.0.2", 60))]
    assert _open(switch) == [[0, 1, 2]] * 3
