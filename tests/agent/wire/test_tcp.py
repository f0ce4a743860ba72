from __future__ import annotations

import socket
import struct

from hypothesis import given
from hypothesis import strategies as st

from harness.agent.wire import tcp

A, B = socket.inet_aton("10.77.0.1"), socket.inet_aton("10.77.0.2")
SYN, RST, ACK = 0x02, 0x04, 0x10
IP_HEAD = bytes([0x45, 0, 0, 40, 0, 0, 0, 0, 64, 6])
"""Version 4, five words, 40 bytes, no fragment, 64 hops, TCP."""


def segment(source: bytes, target: bytes, ports: tuple[int, int], seq: int, ack: int, flags: int) -> bytes:
    ip = struct.pack("!BBHHHBBH4s4s", 0x45, 0, 40, 0, 0, 64, 6, 0, source, target)
    return ip + struct.pack("!HHIIBBHHH", *ports, seq, ack, 5 << 4, flags, 0, 0, 0)


def _sum(data: bytes) -> int:
    total = sum(struct.unpack(f"!{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return total


@given(st.integers(0, 2**32 - 1), st.integers(0, 2**32 - 1))
def test_each_end_gets_an_rst_where_it_expects_the_next_byte(seq: int, ack: int) -> None:
    read = tcp.parse(segment(A, B, (40, 9000), seq, ack, ACK))
    assert read is not None
    back, on = read.resets()
    assert struct.unpack_from("!HHI", back, 20) == (9000, 40, ack)
    assert struct.unpack_from("!HHII", on, 20) == (40, 9000, seq, ack)
    assert (back[:10], on[:10]) == (IP_HEAD, IP_HEAD)
    assert (back[28:36], on[32:36]) == (bytes(4) + bytes([0x50, RST, 0, 0]), bytes([0x50, RST | ACK, 0, 0]))
    for packet in (back, on):
        assert packet[38:] == bytes(2)
        assert _sum(packet[:20]) == 0xFFFF
        assert _sum(packet[12:20] + struct.pack("!BBH", 0, 6, 20) + packet[20:]) == 0xFFFF


def test_a_connection_is_the_same_both_ways() -> None:
    there = tcp.parse(segment(A, B, (40, 9000), 1, 1, ACK))
    back = tcp.parse(segment(B, A, (9000, 40), 1, 1, ACK))
    assert there is not None and back is not None and there.flow == back.flow


def test_the_first_segment_is_known_and_an_rst_is_none() -> None:
    first = tcp.parse(segment(A, B, (40, 9000), 1, 0, SYN))
    answer = tcp.parse(segment(B, A, (9000, 40), 1, 2, SYN | ACK))
    assert first is not None and first.opens
    assert answer is not None and not answer.opens
    assert tcp.parse(segment(A, B, (40, 9000), 1, 0, RST)) is None
    assert tcp.parse(bytes([0x45]) + bytes(8) + bytes([17]) + bytes(40)) is None
    assert tcp.parse(segment(A, B, (40, 9000), 1, 0, SYN)[:39]) is None
