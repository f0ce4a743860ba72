"""The process beside an agent that asks NVML of GPUs again and again, so that a driver that hangs holds up nobody.

    python -m harness.gpu.sampler ARM SECONDS GPU...

It writes events (`harness/vocabulary/events.py`) to the pipe that it inherits, until that is closed.
"""

from __future__ import annotations

import ctypes
import os
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import pynvml

from harness.gpu import nvml
from harness.vocabulary import events
from harness.vocabulary.events import Event, GpuFault, GpuMissing, GpuSampled

SLOW_SECONDS = 10.0
"""How often what is slow to answer is asked; the rest is not sampled meanwhile."""


class Sampler:
    """Of GPUs by number; NVMLError where there is none of that number."""

    def __init__(self, arm: str, numbers: Sequence[int]) -> None:
        self._arm = arm
        self._gpus = {number: pynvml.nvmlDeviceGetHandleByIndex(number) for number in numbers}
        self._lost = set[int]()
        self._heard_of = set[int]()
        self._events = self._register()
        self._slow_due = 0.0

    def _register(self) -> Any:
        """The set of NVML's events, with those GPUs whose critical errors (Xid) are told; None where there is none."""
        try:
            every = pynvml.nvmlEventSetCreate()
        except nvml.REFUSED:
            return None
        for number, gpu in self._gpus.items():
            with suppress(*nvml.REFUSED):
                pynvml.nvmlDeviceRegisterEvents(gpu, pynvml.nvmlEventTypeXidCriticalError, every)
                self._heard_of.add(number)
        return every if self._heard_of else None

    def samples(self, now: float) -> Iterator[Event]:
        """Of each GPU; one that is lost is told, once."""
        slow = now >= self._slow_due
        self._slow_due = now + SLOW_SECONDS if slow else self._slow_due
        for number, gpu in self._gpus.items():
            found = nvml.sample(gpu, slow)
            if not found.lost:
                self._lost.discard(number)
                missing = {**found.missing, **({} if number in self._heard_of else {"xid": "events are not told"})}
                values = dict(found.values)
                processes = {pid: held for pid, held in found.processes.items() if _has_a_gpu_open(pid)}
                yield GpuSampled(now, self._arm, f"gpu/{number}", values, missing, list(found.slowed), processes)
            elif number not in self._lost:
                self._lost.add(number)
                yield GpuMissing(now, self._arm, f"gpu/{number}", found.lost)

    def faults(self, seconds: float) -> Iterator[Event]:
        """Critical errors of the next so many seconds."""
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0:
            if self._events is None:
                time.sleep(left)
                return
            try:
                told = pynvml.nvmlEventSetWait_v2(self._events, max(1, int(left * 1000)))
            except nvml.REFUSED as error:
                if getattr(error, "value", None) == pynvml.NVML_ERROR_TIMEOUT:
                    return
                self._events = None  # the driver tells nothing any more; samples go on, and say so
                self._heard_of.clear()
                continue
            yield GpuFault(time.monotonic(), self._arm, self._subject(told.device), int(told.eventData))

    def _subject(self, device: Any) -> str:
        """By its handle, since a lost GPU tells no name any more; "" for one that is none of ours."""
        address = ctypes.cast(device, ctypes.c_void_p).value
        known = {ctypes.cast(gpu, ctypes.c_void_p).value: number for number, gpu in self._gpus.items()}
        return f"gpu/{known[address]}" if address in known else ""


def _has_a_gpu_open(pid: str) -> bool:
    """Whether that is a process here: in a container a driver may give numbers of the host, which mean others."""
    try:
        with os.scandir(f"/proc/{pid}/fd") as opened:
            return any(str(Path(each.path).readlink()).startswith("/dev/nvidia") for each in opened)
    except OSError:
        return False


def serve(arm: str, seconds: float, numbers: Sequence[int]) -> Iterator[Event]:
    """Events for ever, or the one that says why there are none."""
    try:
        with nvml.connection():
            sampler = Sampler(arm, numbers)
            while True:
                yield from sampler.samples(time.monotonic())
                yield from sampler.faults(seconds)
    except nvml.REFUSED as error:
        yield GpuMissing(time.monotonic(), arm, "", nvml.word(error))


def main() -> None:
    """Write what is found to the agent."""
    arm, seconds, *numbers = sys.argv[1:]
    with os.fdopen(int(os.environ["HARNESS_EVENTS_FD"]), "wb", buffering=0) as agent:
        for event in serve(arm, float(seconds), list(map(int, numbers))):
            try:
                agent.write(events.encode(event))
            except BrokenPipeError:
                return


if __name__ == "__main__":
    main()
