"""Tearing a TCP connection down from its middle (RFC 9293, 3.5.2; RFC 5961, 3.2). Pure."""

from __future__ import annotations

import struct
from dataclasses import dataclass

_TCP = 6
_SYN, _RST, _ACK = 0x02, 0x04, 0x10
_TTL = 64

Flow = frozenset[tuple[bytes, int]]
"""A connection: both of its ends, address and port."""


@dataclass(frozen=True)
class Segment:
    """What matters of a TCP segment in an IPv4 packet."""

    source: bytes
    target: bytes
    source_port: int
    target_port: int
    sequence: int
    acknowledged: int
    flags: int

    @property
    def flow(self) -> Flow:
        """The connection that it is of."""
        return frozenset(((self.source, self.source_port), (self.target, self.target_port)))

    @property
    def opens(self) -> bool:
        """Whether it is the first of a connection."""
        return bool(self.flags & _SYN) and not self.flags & _ACK

    def resets(self) -> tuple[bytes, bytes]:
        """An RST for its sender, at exactly the place where that expects one, and one for its receiver.

        The receiver's is at the right place only where nothing overtook it; if not, its next segment earns it another.
        """
        back = _packet(self.target, self.source, self.target_port, self.source_port, self.acknowledged, 0, _RST)
        on = _packet(
            self.source, self.target, self.source_port, self.target_port, self.sequence, self.acknowledged, _RST | _ACK
        )
        return back, on


def parse(packet: bytes) -> Segment | None:
    """The segment in a packet; None where it holds none, or is an RST already."""
    header = (packet[0] & 0x0F) * 4
    if packet[9] != _TCP or len(packet) < header + 20:
        return None
    source_port, target_port, sequence, acknowledged, _, flags = struct.unpack_from("!HHIIBB", packet, header)
    if flags & _RST:
        return None
    return Segment(packet[12:16], packet[16:20], source_port, target_port, sequence, acknowledged, flags)


def _packet(source: bytes, target: bytes, source_port: int, target_port: int, seq: int, ack: int, flags: int) -> bytes:
    tcp = struct.pack("!HHIIBBHHH", source_port, target_port, seq, ack, 5 << 4, flags, 0, 0, 0)
    pseudo = source + target + struct.pack("!BBH", 0, _TCP, len(tcp))
    tcp = tcp[:16] + struct.pack("!H", _checksum(pseudo + tcp)) + tcp[18:]
    ip = struct.pack("!BBHHHBBH4s4s", 0x45, 0, 20 + len(tcp), 0, 0, _TTL, _TCP, 0, source, target)
    return ip[:10] + struct.pack("!H", _checksum(ip)) + ip[12:] + tcp


def _checksum(data: bytes) -> int:
    """The Internet checksum of an even number of bytes (RFC 1071)."""
    total: int = sum(struct.unpack(f"!{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF
