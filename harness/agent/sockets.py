"""TCP sockets of a process, as its own network namespace shows them (``/proc/<pid>/net/tcp``)."""

from __future__ import annotations

import socket
import struct
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

_STATES = {1: "ESTABLISHED", 2: "SYN_SENT", 3: "SYN_RECV", 8: "CLOSE_WAIT", 10: "LISTEN"}


def of(pid: int) -> list[str]:
    """As ``10.77.0.3:41200 > 10.77.0.1:9000 ESTABLISHED`` or ``10.77.0.1:9000 LISTEN``."""
    try:
        inodes = set(_inodes(pid))
        lines = Path(f"/proc/{pid}/net/tcp").read_text().splitlines()[1:]
    except OSError:
        return []
    return [_text(fields) for fields in map(str.split, lines) if fields[9] in inodes]


def _inodes(pid: int) -> Iterator[str]:
    for descriptor in Path(f"/proc/{pid}/fd").iterdir():
        with suppress(OSError):
            target = str(descriptor.readlink())
            if target.startswith("socket:["):
                yield target[8:-1]


def _text(fields: list[str]) -> str:
    state = _STATES.get(int(fields[3], 16), f"state {fields[3]}")
    remote = "" if state == "LISTEN" else f" > {_address(fields[2])}"
    return f"{_address(fields[1])}{remote} {state}"


def _address(text: str) -> str:
    address, port = text.split(":")
    return f"{socket.inet_ntoa(struct.pack('<I', int(address, 16)))}:{int(port, 16)}"
