"""Routes that nothing holds up: packets go along them in C, where Python would take as long as the kernel does.

Where no C compiler is found the wire does the same in Python, slower (`PythonCarrier`); the facts of a run tell which.
"""

from __future__ import annotations

import ctypes
import os
import select
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from harness.base import compiled

LARGEST = 65536
LIBRARY_VARIABLE = "HARNESS_STRAIGHT"
"""The environment's variable with the path of the library."""

_SOURCE = Path(__file__).with_suffix(".c")
_FAILED = -3


class Route(ctypes.Structure):
    """From one host to another: what went along it, and whether packets may; ``struct route`` in C."""

    _fields_ = (("packets", ctypes.c_uint64), ("bytes", ctypes.c_uint64), ("open", ctypes.c_uint32))
    packets: int
    bytes: int
    open: int


class _Devices(ctypes.Structure):
    _fields_ = (
        ("epoll", ctypes.c_int),
        ("hosts", ctypes.c_int),
        ("descriptors", ctypes.POINTER(ctypes.c_int)),
        ("addresses", ctypes.POINTER(ctypes.c_uint32)),
        ("routes", ctypes.POINTER(Route)),
        ("packet", ctypes.POINTER(ctypes.c_ubyte)),
        ("size", ctypes.c_int64),
    )


class Carrier(Protocol):
    """Waits for packets, and carries those whose route is open."""

    def carry(self, until: float | None) -> tuple[int, bytes] | None:
        """The next packet that may not go straight, with its host's number.

        None at ``until``, in seconds of the monotonic clock, or when the control channel has something to read.
        """
        ...


class CompiledCarrier:
    """The one in C, from the library at ``path``. OSError where it cannot be loaded, or a device fails."""

    def __init__(
        self, path: str, devices: Sequence[int], control: int, addresses: Sequence[bytes], routes: ctypes.Array[Route]
    ) -> None:
        self._carry = ctypes.CDLL(path, use_errno=True).carry
        self._carry.argtypes = (ctypes.POINTER(_Devices), ctypes.c_double)
        self._epoll = select.epoll()
        for descriptor in (*devices, control):
            self._epoll.register(descriptor, select.EPOLLIN)
        count = len(devices)
        self._packet = (ctypes.c_ubyte * LARGEST)()
        numbers = [int.from_bytes(address, sys.byteorder) for address in addresses]
        descriptors, known = (ctypes.c_int * count)(*devices), (ctypes.c_uint32 * count)(*numbers)
        self._devices = _Devices(self._epoll.fileno(), count, descriptors, known, routes, self._packet)

    def carry(self, until: float | None) -> tuple[int, bytes] | None:
        source = int(self._carry(self._devices, -1.0 if until is None else until))
        if source == _FAILED:
            error = ctypes.get_errno()
            raise OSError(error, os.strerror(error))
        return (source, bytes(memoryview(self._packet)[: self._devices.size])) if source >= 0 else None


class PythonCarrier:
    """The one without C: it leaves every packet to the caller."""

    def __init__(self, devices: Sequence[int], control: int) -> None:
        self._number = {device: number for number, device in enumerate(devices)}
        self._watched = [*devices, control]
        self._ready: list[int] = []

    def carry(self, until: float | None) -> tuple[int, bytes] | None:
        while True:
            while self._ready:
                device = self._ready.pop()
                if device not in self._number:
                    return None
                try:
                    return self._number[device], os.read(device, LARGEST)
                except BlockingIOError:
                    continue
            pause = None if until is None else max(0.0, until - time.monotonic())
            self._ready = select.select(self._watched, (), (), pause)[0]
            if not self._ready:
                return None


def library(folder: Path) -> Path:
    """The compiled library in ``folder`` (`harness.base.compiled.library`)."""
    return compiled.library(_SOURCE, folder)
