"""Bytes held, bytes live, what is held beyond live, and growth; per worker."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from harness.measures import Measure, from_samples
from harness.planning.plan import Arm
from harness.statistics.series import BoundedSeries
from harness.statistics.trend import slope
from harness.vocabulary.events import Event, GpuPool, Ready
from harness.vocabulary.events import Memory as MemoryEvent
from harness.vocabulary.quantities import Quantity


class _Worker:
    def __init__(self) -> None:
        self.baseline = 0
        self.live_missing = ""
        self.peak = 0
        self.steps, self.held, self.live = BoundedSeries(), BoundedSeries(), BoundedSeries()
        self.by_device: dict[str, BoundedSeries] = {}
        self.gpus: dict[str, _GpuPool] = {}


class _GpuPool:
    """What a worker took of one GPU since before its first array, and beyond what was live (None: not counted)."""

    def __init__(self, free: int) -> None:
        self.free = free
        self.reserved, self.beyond = BoundedSeries(), BoundedSeries()
        self.live: int | None = None

    def note(self, free: int) -> None:
        self.reserved.add(self.free - free)
        if self.live is not None:
            self.beyond.add(self.free - free - self.live)


class Memory(Measure):
    """Held: anonymous memory above what the process had before its first array. Live: MXNet's arrays at their highest.

    Peak: of anonymous memory. What is mapped from files is not the job's: of two copies of one `libmxnet.so` 49 and
    105 MB were resident, as the page cache had them in small or in large pieces (Linux 6.18, ext4).

    ``gpu_reserved``: what the pool took of a GPU (`gpu_memory_info`), while nobody else used it.

    Held beyond live is what a pool, a cache or fragmentation keeps; below zero where arrays were allocated but never
    touched.
    """

    name: ClassVar[str] = "memory"
    hears: ClassVar[tuple[type[Event], ...]] = (GpuPool, Ready, MemoryEvent)

    def __init__(self, arm: Arm) -> None:
        super().__init__(arm)
        self._workers: dict[str, _Worker] = {}

    def add(self, event: Event) -> None:
        if isinstance(event, GpuPool):
            self._note_pool(event, self._workers.setdefault(event.subject, _Worker()))
        elif isinstance(event, Ready):
            worker = _Worker()  # also where a process takes the place of another, whose peak counts on
            worker.peak = self._workers[event.subject].peak if event.subject in self._workers else 0
            worker.baseline, worker.live_missing = event.baseline, event.live_missing
            worker.gpus = self._workers[event.subject].gpus if event.subject in self._workers else {}
            self._workers[event.subject] = worker
        elif isinstance(event, MemoryEvent):
            if event.subject not in self._workers:
                self._workers[event.subject] = _Worker()
            self._note(event, self._workers[event.subject])

    def _shares_gpus(self) -> str:
        """Why what is free on a GPU is not only this worker's doing, or ""."""
        if self.arm.turn is not None:
            return "other arms use the GPU, too"
        if any(injection.part.name == "gpu_memory_limit" for injection in self.arm.schedule):
            return "gpu_memory_limit holds a part of it"
        ranks = self.arm.workload.loop == "horovod" and len(self.arm.workload.contexts) >= len(self.arm.workers)
        alone = len(self.arm.workers) == 1 or ranks or self.arm.gives_gpus
        return "" if alone else "other workers use the GPU, too"

    def _note_pool(self, event: GpuPool, worker: _Worker) -> None:
        for device, free in event.free.items():
            if not event.step:
                worker.gpus[device] = _GpuPool(free)
            elif device in worker.gpus and event.step > self.arm.workload.warmup:
                worker.gpus[device].note(free)

    def _note(self, event: MemoryEvent, worker: _Worker) -> None:
        mapped = event.resident - event.anonymous
        worker.peak = max(worker.peak, event.anonymous, event.peak - mapped)
        if event.step <= self.arm.workload.warmup:
            return
        worker.steps.add(event.step)
        worker.held.add(event.anonymous - worker.baseline)
        if event.live is not None:
            worker.live.add(event.live)
        for device, live in (event.live_by_device or {}).items():
            if device in worker.gpus:
                worker.gpus[device].live = live
            worker.by_device.setdefault(device, BoundedSeries()).add(live)

    def quantities(self) -> Iterable[Quantity]:
        for role, worker in sorted(self._workers.items()):
            yield _peak(role, worker)
            yield from_samples("live_memory", "B", worker.live.points, role, worker.live_missing)
            for device, live in sorted(worker.by_device.items()) if len(worker.by_device) > 1 else ():
                yield from_samples("live_memory", "B", live.points, f"{role} {device}")
            yield from_samples("held_memory", "B", worker.held.points, role)
            yield from _beyond_live(role, worker)
            yield _growth(role, worker)
            for device, pool in sorted(worker.gpus.items()):
                shared = self._shares_gpus()
                missing = shared or worker.live_missing or "not counted in every window"
                reserved, beyond = ([], []) if shared else (pool.reserved.points, pool.beyond.points)
                yield from_samples("gpu_reserved", "B", reserved, f"{role} {device}", shared)
                yield from_samples("gpu_beyond_live", "B", beyond, f"{role} {device}", "" if beyond else missing)


def _peak(role: str, worker: _Worker) -> Quantity:
    if not worker.peak:
        return Quantity("peak_memory", "B", None, subject=role, note="no window ended")
    peak = worker.peak  # no sample: the kernel keeps it
    return Quantity("peak_memory", "B", peak, 1, peak, peak, role)


def _beyond_live(role: str, worker: _Worker) -> Iterable[Quantity]:
    held, live = worker.held.points, worker.live.points
    missing = worker.live_missing or "not counted in every window" if held else "no window after the warm-up"
    pairs = list(zip(held, live, strict=True)) if len(held) == len(live) else []
    beyond = [bytes_held - bytes_live for bytes_held, bytes_live in pairs]
    yield from_samples("held_beyond_live", "B", beyond, role, "" if beyond else missing)
    fractions = [(bytes_held - bytes_live) / bytes_held for bytes_held, bytes_live in pairs if bytes_held > 0]
    yield from_samples("held_beyond_live_fraction", "fraction", fractions, role, "" if fractions else missing)


def _growth(role: str, worker: _Worker) -> Quantity:
    trend = slope(worker.steps.points, worker.held.points)
    unit = "B/1000 steps"
    if trend is None:
        return Quantity("memory_growth", unit, None, subject=role, note="needs windows after the warm-up")
    low, high = (None if bound is None else bound * 1000 for bound in (trend.low, trend.high))
    steps = worker.steps.points
    note = f"over {steps[-1] - steps[0]:g} steps only; {trend.note}" if low is None else trend.note
    return Quantity("memory_growth", unit, trend.median * 1000, trend.n, low, high, role, note)
