"""Samples a second and seconds a sample, over windows closed by a wait, warm-up excluded."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from statistics import median
from typing import ClassVar, NamedTuple

from harness.measures import Measure, from_samples
from harness.planning.plan import Arm
from harness.statistics.series import CAPACITY
from harness.vocabulary.events import (
    Checkpointed,
    Done,
    Event,
    Exited,
    Healed,
    Injected,
    Samples,
    Spawned,
    Window,
)
from harness.vocabulary.quantities import Quantity

_LONG = 0.5
"""Of the workers' medians together: where a job has less than that most of the time, few windows take most of it."""

REPORT_SECONDS = 0.05
"""A worker reports its window at most so long before it opens the next."""


class _Stretch(NamedTuple):
    """Time of one worker from ``begin`` to ``end``, with what its windows in it trained and took.

    ``covered``: seconds of it in which the worker trained; the rest are gaps, as while it was started again. ``steps``
    count in place of samples where these are not known of all. ``life``: of its process, which may be started again.
    A tuple, since a long run has a million of them, and a frozen dataclass takes three times as long to make.
    """

    begin: float
    end: float
    steps: float
    samples: float
    seconds: float
    covered: float
    life: int

    @property
    def rate(self) -> float:
        """Samples a second while it trained, without the time between windows."""
        return self.samples / self.seconds

    def trained(self, begin: float, end: float) -> float:
        """Samples of the part of it within two times; they are spread evenly over it."""
        overlap = max(0.0, min(end, self.end) - max(begin, self.begin))
        return self.rate * overlap * self.covered / max(self.end - self.begin, 1e-9)

    def joined(self, later: _Stretch) -> _Stretch:
        """Both as one."""
        steps, samples = self.steps + later.steps, self.samples + later.samples
        sums = (steps, samples, self.seconds + later.seconds, self.covered + later.covered)
        return _Stretch(self.begin, later.end, *sums, self.life)

    @property
    def in_steps(self) -> _Stretch:
        """The same, where each step counts as one sample."""
        return self._replace(samples=self.steps)


class _Windows:
    """Windows of one worker, in order; when there are many, neighbours are joined."""

    def __init__(self) -> None:
        self.stretches: list[_Stretch] = []
        self.stride = 1
        self._pending = 0

    def add(self, stretch: _Stretch) -> None:
        if self._pending and self.stretches[-1].life == stretch.life:
            self.stretches[-1] = self.stretches[-1].joined(stretch)
        else:
            self._pending = 0
            self.stretches.append(stretch)
        self._pending = (self._pending + 1) % self.stride
        if len(self.stretches) >= CAPACITY and not self._pending:
            self.stretches = list(_in_pairs(self.stretches))
            self.stride *= 2


def _in_pairs(stretches: Sequence[_Stretch]) -> Iterator[_Stretch]:
    """Each joined with the next; not across a restart."""
    for _, alike in groupby(stretches, lambda stretch: stretch.life):
        life = list(alike)
        pairs = zip(life[0::2], [*life[1::2], None] if len(life) % 2 else life[1::2], strict=True)
        yield from (first if second is None else first.joined(second) for first, second in pairs)


@dataclass
class _Turn:
    """What all workers trained in one turn of the job, and when its first one began and its last one ended."""

    begin: float = math.inf
    end: float = 0.0
    steps: float = 0.0
    samples: float = 0.0

    def add(self, stretch: _Stretch) -> None:
        self.begin, self.end = min(self.begin, stretch.begin), max(self.end, stretch.end)
        self.steps += stretch.steps
        self.samples += stretch.samples

    def rate(self, in_steps: bool) -> float:
        return (self.steps if in_steps else self.samples) / (self.end - self.begin)


Workers = Mapping[str, _Windows]
Told = Mapping[str, Sequence[_Stretch]]


class Throughput(Measure):
    """For the job: on one grid of time, what all workers trained in each cell; also within faults only.

    Where arms take turns, each turn is a cell.

    The grid begins when the last worker has warmed up and ends when the first has trained all its steps. Time in
    which nobody trained because a process was started again, and warmed up again, is cut out: goodput has it.
    """

    name: ClassVar[str] = "throughput"
    hears: ClassVar[tuple[type[Event], ...]] = (
        Window,
        Samples,
        Injected,
        Healed,
        Spawned,
        Exited,
        Checkpointed,
        Done,
    )

    def __init__(self, arm: Arm) -> None:
        super().__init__(arm)
        self._whole: dict[str, _Windows] = {}
        self._faulted: list[dict[str, _Windows]] = []
        self._ends: dict[str, float] = {}
        self._through: set[str] = set()
        self._active: set[int] = set()
        self._changed = 0.0
        self._turns: dict[int, _Turn] = {}
        self._counted: dict[str, int | None] = {}
        self._unit = "samples"
        self._gone: dict[str, float] = {}
        self._restarts: list[tuple[float, float]] = []
        self._lives = Counter[str]()

    def add(self, event: Event) -> None:
        if isinstance(event, Window):
            self._window(event)
        elif isinstance(event, Injected | Healed):
            self._mark(event)
        elif isinstance(event, Samples):
            self._counted[event.subject] = None if None in event.counts else sum(filter(None, event.counts))
        elif isinstance(event, Done):
            self._through.add(event.subject)
        else:  # what comes between two windows, beside their reports, is no training
            self._ends.pop(event.subject, None)
            if isinstance(event, Exited):
                self._gone.setdefault(event.subject, event.t)

    def _mark(self, event: Injected | Healed) -> None:
        """Note which faults are in force; each time that one begins or ends, other windows count as within faults."""
        if isinstance(event, Injected):
            self._active.add(event.fault)
        else:
            self._active.discard(event.fault)
        self._ends.clear()
        self._changed = event.t
        self._faulted.append({})

    def _window(self, window: Window) -> None:
        if window.first < self.arm.workload.warmup:
            return
        stretch = self._stretch(window)
        if window.subject in self._gone:
            self._restarts.append((self._gone.pop(window.subject), stretch.begin))
            self._lives[window.subject] += 1
            stretch = stretch._replace(life=self._lives[window.subject])
        if self.arm.turn:
            self._turns.setdefault(window.first // self.arm.turn, _Turn()).add(stretch)
        self._whole.setdefault(window.subject, _Windows()).add(stretch)
        if self._active and window.t - window.seconds >= self._changed:
            self._faulted[-1].setdefault(window.subject, _Windows()).add(stretch)
        if window.first + window.steps >= (self.arm.workload.steps or math.inf):
            self._through.add(window.subject)

    def _stretch(self, window: Window) -> _Stretch:
        """From the end of the window before, if it follows on that at once: the report between them is no gap.

        Between turns there is always one, however short.
        """
        opened = window.t - window.seconds
        before = opened if self.arm.turn else self._ends.get(window.subject, opened)
        begin = before if 0 <= opened - before <= REPORT_SECONDS else opened
        self._ends[window.subject] = window.t
        counts = float(window.steps), float(self._samples(window))
        return _Stretch(begin, window.t, *counts, window.seconds, window.t - begin, self._lives[window.subject])

    def _samples(self, window: Window) -> int:
        """Of a window; where those of one are not known, steps count in all of them."""
        planned = self.arm.workload.samples_of(window.first, window.steps)
        if planned is not None:
            return planned
        counted = self._counted.pop(window.subject, None)
        if counted is None:
            self._unit = "steps"
        return counted or 0

    def _told(self, workers: Workers) -> Told:
        """Stretches of each worker, in samples or in steps."""
        in_steps = self._unit == "steps"
        return {
            name: [stretch.in_steps if in_steps else stretch for stretch in windows.stretches]
            for name, windows in workers.items()
        }

    def _rates(self, workers: Workers, through: Iterable[str]) -> tuple[list[float], int]:
        strides = {name: windows.stride for name, windows in workers.items()}
        return _job_rates(_without(self._downtimes(), self._told(workers)), strides, through)

    def _downtimes(self) -> set[tuple[float, float]]:
        """Begin and end of what a restart took, where nobody trained meanwhile."""
        stretches = [stretch for windows in self._whole.values() for stretch in windows.stretches]
        found = set[tuple[float, float]]()
        for gone, back in self._restarts:
            begin = max((stretch.end for stretch in stretches if stretch.begin < back), default=gone)
            if (begin := max(begin, gone)) < back:
                found.add((begin, back))
        return found

    def quantities(self) -> Iterable[Quantity]:
        rates, stride = self._rates(self._whole, self._through)
        if self.arm.turn:
            rates, stride = [turn.rate(self._unit == "steps") for turn in self._turns.values()], 1
        began = max((windows.stretches[0].begin for windows in self._whole.values()), default=0.0)
        down = sum(end - begin for begin, end in self._downtimes() if end > began)
        without = f"without {down:.1f} s of restarts" if down else ""
        note = "; ".join(filter(None, (without, _idle(rates), self._held_up(rates))))
        yield from_samples("throughput", f"{self._unit}/s", rates, note=note, stride=stride)
        yield _cost(rates, note, stride, self._unit.removesuffix("s"))
        for role, windows in sorted(self._whole.items()) if len(self._whole) > 1 else ():
            own = [stretch.rate for stretch in self._told(self._whole)[role]]
            yield from_samples("throughput", f"{self._unit}/s", own, role, stride=windows.stride)
        if self.arm.schedule:
            inside = [self._rates(workers, workers.keys()) for workers in self._faulted if workers]
            rates = [rate for rates, _ in inside for rate in rates]
            most = max((stride for _, stride in inside), default=1)
            note = _idle(rates) if rates else "no window lies wholly within a fault"
            yield from_samples("throughput_in_fault", f"{self._unit}/s", rates, note=note, stride=most)

    def _held_up(self, rates: Sequence[float]) -> str:
        """That most of the time of several workers is in few windows, as where they validate within one.

        By time these decide; for each worker, whose windows count alike, they do not.
        """
        if not rates or len(self._whole) < 2 or self.arm.turn or not self._through >= self._whole.keys():
            return ""
        own = sum(median(stretch.rate for stretch in stretches) for stretches in self._told(self._whole).values())
        return "most of the time is in few, long windows; see goodput" if median(rates) < _LONG * own else ""


def _cost(rates: Sequence[float], note: str, stride: int, unit: str) -> Quantity:
    """Seconds a sample, or step, of the cells in which anything was trained."""
    costs = [1 / rate for rate in rates if rate > 0]
    if len(costs) < len(rates):
        note = "; ".join(filter(None, (f"{len(rates) - len(costs)} idle cells are left out", note)))
    return from_samples("seconds_per_sample", f"s/{unit}", costs, note=note, stride=stride)


def _idle(rates: Sequence[float]) -> str:
    idle = sum(rate == 0 for rate in rates)
    return f"nobody trained in {idle} of {len(rates)} cells of time" if idle else ""


def _without(gaps: Collection[tuple[float, float]], workers: Told) -> Told:
    """As if what comes after a gap had followed at once on what was before it."""

    def moved(stretch: _Stretch) -> _Stretch:
        by = sum(end - begin for begin, end in gaps if end <= stretch.begin)
        return stretch._replace(begin=stretch.begin - by, end=stretch.end - by)

    return {name: [moved(stretch) for stretch in stretches] for name, stretches in workers.items()}


def _job_rates(workers: Told, strides: Mapping[str, int], through: Iterable[str]) -> tuple[list[float], int]:
    """Rates of the job in as many cells as the worker with most has stretches, and the windows in one of them.

    The cells end with the first of those that went ``through`` all there was; a worker that did not counts as idle.
    """
    if not workers:
        return [], 1
    begin = max(stretches[0].begin for stretches in workers.values())
    ends = {name: stretches[-1].end for name, stretches in workers.items()}
    end = min((ends[name] for name in through if name in ends), default=max(ends.values()))
    fullest = max(workers, key=lambda name: (len(workers[name]), strides[name]))
    count = len(workers[fullest])
    width = (end - begin) / count
    if width <= 0:
        return [], 1
    trained = [0.0] * count
    for stretches in workers.values():
        for stretch in stretches:
            _spread(stretch, begin, width, trained)
    return [samples / width for samples in trained], strides[fullest]


def _spread(stretch: _Stretch, begin: float, width: float, trained: list[float]) -> None:
    """Add to each cell what a stretch trained in it."""
    first = max(0, int((stretch.begin - begin) / width))
    last = min(len(trained) - 1, int((stretch.end - begin) / width))
    for cell in range(first, last + 1):
        trained[cell] += stretch.trained(begin + cell * width, begin + (cell + 1) * width)
