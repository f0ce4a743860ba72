"""The process beside an agent that asks NVML of GPUs again and again, so that a driver that hangs holds up nobody.

    python -m harness.gpu.sampler ARM SECONDS GPU...

It writes events (`harness/vocabulary/events.py`) to the pipe that it inherits, until that is closed.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator, Sequence
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
        self._heard_of, self._events = self._register()
        self._slow_due = 0.0

    def _register(self) -> tuple[dict[str, int], Any]:
        """GPUs whose critical errors (Xid) are told, by their UUID, and the set of NVML's events."""
        known, every = dict[str, int](), None
        try:
            every = pynvml.nvmlEventSetCreate()
            for number, gpu in self._gpus.items():
                pynvml.nvmlDeviceRegisterEvents(gpu, pynvml.nvmlEventTypeXidCriticalError, every)
                known[str(pynvml.nvmlDeviceGetUUID(gpu))] = number
        except pynvml.NVMLError:
            return known, every if known else None
        return known, every

    def samples(self, now: float) -> Iterator[Event]:
        """Of each GPU that answers; one that answers nothing any more is told to be lost, once."""
        slow = now >= self._slow_due
        self._slow_due = now + SLOW_SECONDS if slow else self._slow_due
        for number, gpu in self._gpus.items():
            found = nvml.sample(gpu, slow)
            if not found.lost:
                self._lost.discard(number)
                missing = {**found.missing, **({} if self._heard_of else {"xid": "events are not told"})}
                values, processes = dict(found.values), dict(found.processes)
                yield GpuSampled(now, self._arm, f"gpu/{number}", values, missing, list(found.slowed), processes)
            elif number not in self._lost:
                self._lost.add(number)
                yield GpuMissing(now, self._arm, f"gpu/{number}", next(iter(found.missing.values())))

    def faults(self, seconds: float) -> Iterator[Event]:
        """Critical errors of the next so many seconds."""
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0:
            if self._events is None:
                time.sleep(left)
                return
            try:
                told = pynvml.nvmlEventSetWait_v2(self._events, max(1, int(left * 1000)))
            except pynvml.NVMLError_Timeout:
                return
            except pynvml.NVMLError:
                self._events = None  # the driver tells nothing any more; samples go on
                continue
            yield GpuFault(time.monotonic(), self._arm, self._subject(told), int(told.eventData))

    def _subject(self, told: Any) -> str:
        try:
            number = self._heard_of.get(str(pynvml.nvmlDeviceGetUUID(told.device)))
        except pynvml.NVMLError:
            number = None
        return "" if number is None else f"gpu/{number}"


def serve(arm: str, seconds: float, numbers: Sequence[int]) -> Iterator[Event]:
    """Events for ever, or the one that says why there are none."""
    try:
        with nvml.connection():
            sampler = Sampler(arm, numbers)
            while True:
                yield from sampler.samples(time.monotonic())
                yield from sampler.faults(seconds)
    except pynvml.NVMLError as error:
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
