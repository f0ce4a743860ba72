"""What NVML said of the GPUs that an arm trains on: memory, load, clocks, heat, errors."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import ClassVar

from harness.measures import Measure, from_samples
from harness.planning.plan import Arm
from harness.statistics.series import BoundedSeries
from harness.vocabulary.events import Event, GpuFault, GpuMissing, GpuSampled, Started, Window
from harness.vocabulary.quantities import Quantity

MEDIANS = {
    "memory_used": ("gpu_memory_used", "B"),
    "utilisation": ("gpu_utilisation", "fraction"),
    "sm_clock": ("sm_clock", "MHz"),
    "memory_clock": ("memory_clock", "MHz"),
    "power": ("gpu_power", "W"),
    "temperature": ("gpu_temperature", "°C"),
    "pcie_sent": ("pcie_sent", "B/s"),
    "pcie_received": ("pcie_received", "B/s"),
}
SILENT_SECONDS, SILENT_PART, LEAST_SILENT_SECONDS = 5.0, 0.2, 1.5
"""Of training without a sample, at any time, after which nobody knows what happened: they come twice a second.

Of a short training that part of it, but some samples at least.
"""

SLOW_SILENT_SECONDS = 30.0
"""The same for what is asked every ten seconds."""

_ANYTHING = ""
"""In place of a question: whether there was any answer."""

COUNTS = ("ecc_errors", "pcie_replays")
CARRIED = ("nvlink_sent", "nvlink_received")
"""Bytes since the driver was loaded; what is told is how much a second."""

_SLOW = ("pcie_sent", "pcie_received")


class _Gpu:
    def __init__(self) -> None:
        self.samples = {name: BoundedSeries() for name in MEDIANS}
        self.counts: dict[str, tuple[float, float]] = {}
        self.carried: dict[str, list[tuple[float, float]]] = {}
        self.missing: dict[str, str] = {}
        self.peak: float | None = None
        self.known: dict[str, float] = {}
        self.gaps: dict[str, float] = {}
        self.taken = self.slowed = 0
        self.reasons: dict[str, int] = {}
        self.faults: list[int] = []
        self.lost = ""
        self.losses = 0


class Gpus(Measure):
    """Medians over training of what NVML tells of each GPU, the most memory that was used, and errors.

    Memory and load are of the whole GPU, by whomever, and so is what its NVLinks carry. ``gpu_slowed``: the share of
    samples in which clocks were lower than the load would have them, for power, heat or hardware. ``xid``: critical
    errors that the driver told. ``gpu_lost``: how often a GPU answered nothing any more.
    """

    name: ClassVar[str] = "gpus"
    hears: ClassVar[tuple[type[Event], ...]] = (Started, Window, GpuSampled, GpuFault, GpuMissing)

    def __init__(self, arm: Arm) -> None:
        super().__init__(arm)
        self._gpus: dict[str, _Gpu] = {}
        self._started: float | None = None
        self._missing = ""
        self._trained = 0.0
        self._unattributed: list[int] = []

    def add(self, event: Event) -> None:
        if isinstance(event, Started):
            self._started = event.t
        elif isinstance(event, Window):
            self._trained = event.t
        elif isinstance(event, GpuMissing) and not event.subject:
            self._missing = self._missing or event.reason  # the first says most: what ends has told why
        elif isinstance(event, GpuFault) and not event.subject:
            self._unattributed.append(event.xid)
        elif event.subject:
            gpu = self._gpus.setdefault(event.subject, _Gpu())
            if isinstance(event, GpuMissing):
                gpu.lost = event.reason
                gpu.losses += 1
            elif isinstance(event, GpuFault):
                gpu.faults.append(event.xid)
            elif isinstance(event, GpuSampled):
                self._note(event, gpu)

    def _note(self, event: GpuSampled, gpu: _Gpu) -> None:
        """Counts are since the driver was loaded, so that the first sample of all is where they begin."""
        if event.values:  # one that answers nothing is no sample, whatever it says
            gpu.lost = ""
            self._hear(gpu, _ANYTHING, event.t)
        for name in event.values:
            self._hear(gpu, name, event.t)
        if "slowed" not in event.missing:
            self._hear(gpu, "slowed", event.t)
        gpu.missing.update(event.missing)
        for name in COUNTS:
            if name in event.values:
                first, _ = gpu.counts.get(name, (event.values[name], 0.0))
                gpu.counts[name] = first, event.values[name]
        if self._started is None:
            return
        for name, series in gpu.samples.items():
            if name in event.values:
                series.add(event.values[name])
        for name in CARRIED:
            if name in event.values:
                gpu.carried[name] = [*gpu.carried.get(name, [])[:1], (event.t, event.values[name])]
        if (used := event.values.get("memory_used")) is not None:
            gpu.peak = max(gpu.peak or 0.0, used)
        if "slowed" not in event.missing:
            gpu.taken += 1
            gpu.slowed += bool(event.slowed)
        for reason in event.slowed:
            gpu.reasons[reason] = gpu.reasons.get(reason, 0) + 1

    def _hear(self, gpu: _Gpu, question: str, now: float) -> None:
        """Note how long nothing was heard of it while it trained."""
        if self._started is not None:
            gap = now - max(gpu.known.get(question, 0.0), self._started)
            gpu.gaps[question] = max(gpu.gaps.get(question, 0.0), gap)
        gpu.known[question] = now

    def quantities(self) -> Iterable[Quantity]:
        if not any(context.startswith("gpu") for context in self.arm.workload.contexts):
            return
        if not self._gpus:
            yield Quantity("gpu_slowed", "fraction", None, note=self._missing or "no sample was taken")
        for subject, gpu in sorted(self._gpus.items()):
            yield from _of(subject, gpu, [*gpu.faults, *self._unattributed], partial(self._silence, gpu))

    def _silence(self, gpu: _Gpu, question: str = "") -> str:
        """Why nobody knows what a GPU did all through training, or what it answered to one question."""
        if gpu.lost:
            return f"the GPU was lost: {gpu.lost}"
        if self._missing:
            return f"sampling ended: {self._missing}"
        most = self._most_silent
        quiet = self._trained - gpu.known.get(_ANYTHING, self._started or 0.0)
        if quiet > most:
            return f"no sample in the last {quiet:.0f} s of training"
        if (gap := gpu.gaps.get(_ANYTHING, 0.0)) > most:
            return f"no sample for {gap:.0f} s of training"
        most = SLOW_SILENT_SECONDS if question in _SLOW else most
        quiet = self._trained - gpu.known.get(question, self._trained)
        if max(quiet, gpu.gaps.get(question, 0.0)) > most:
            when = f"in the last {quiet:.0f} s" if quiet > most else f"for {gpu.gaps[question]:.0f} s"
            return f"no answer {when} of training: {gpu.missing.get(question, 'nobody knows why')}"
        return ""

    @property
    def _most_silent(self) -> float:
        """Seconds without a sample that may pass."""
        trained = self._trained - (self._started or 0.0)
        return min(SILENT_SECONDS, max(LEAST_SILENT_SECONDS, SILENT_PART * trained))


def _of(subject: str, gpu: _Gpu, xids: list[int], silent: Callable[..., str]) -> Iterable[Quantity]:
    """Medians are of what there is; what would say that nothing happened needs samples to the end."""
    for name, (quantity, unit) in MEDIANS.items():
        points = gpu.samples[name].points
        note = silent(name) or ("" if points else _missing(gpu, name))
        yield from_samples(quantity, unit, points, subject, note)
    unseen = silent("memory_used")
    yield _exact("gpu_memory_peak", "B", subject, gpu.peak, unseen, _missing(gpu, "memory_used"))
    for name in COUNTS:
        first, last = gpu.counts.get(name, (0.0, None))
        known = None if last is None else max(0.0, last - first)
        yield _exact(name, "errors", subject, known, silent(name) if not known else "", _missing(gpu, name))
    for name in CARRIED:
        rate = _rate(gpu.carried.get(name, []))
        missing = "no rate can be told" if name in gpu.carried else _missing(gpu, name)
        yield _exact(name, "B/s", subject, rate, silent(name), missing)
    share = gpu.slowed / gpu.taken if gpu.taken else None
    why = ", ".join(f"{reason} in {count}" for reason, count in sorted(gpu.reasons.items()))
    seen = f"of {gpu.taken} samples" + (f": {why}" if why else "")
    unseen = "" if share else silent("slowed")
    yield _exact("gpu_slowed", "fraction", subject, share, unseen, _missing(gpu, "slowed"), seen)
    yield _exact("gpu_lost", "times", subject, gpu.losses, "" if gpu.losses else silent(), told=gpu.lost)
    unheard = "" if xids else gpu.missing.get("xid") or silent()
    yield _exact("xid", "errors", subject, len(xids), unheard, told=", ".join(map(str, xids)))


def _rate(samples: list[tuple[float, float]]) -> float | None:
    """Of a counter, a second, from its first sample of training to its last; None where it was set back."""
    (began, first), (ended, last) = samples if len(samples) == 2 else [(0.0, 0.0)] * 2
    return (last - first) / (ended - began) if ended > began and last >= first else None


def _missing(gpu: _Gpu, name: str) -> str:
    return gpu.missing.get(name, "no sample was taken")


def _exact(
    name: str, unit: str, subject: str, value: float | None, unknown: str, missing: str = "", told: str = ""
) -> Quantity:
    """A number that is known exactly; not available where it is ``unknown`` to the end, or ``missing`` altogether."""
    if unknown or value is None:
        return Quantity(name, unit, None, subject=subject, note=unknown or missing)
    return Quantity(name, unit, value, 1, value, value, subject, told)
