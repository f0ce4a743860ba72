"""The loss curve and where it ends."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from statistics import fmean, mean
from typing import ClassVar

from harness.checks import TAIL
from harness.measures import Measure, from_samples
from harness.planning.plan import Arm
from harness.statistics.series import BoundedSeries, coarsened
from harness.vocabulary.events import Done, Event
from harness.vocabulary.events import Loss as LossEvent
from harness.vocabulary.quantities import Quantity


class Loss(Measure):
    """``loss_curve``: mean over workers of each step's loss, as far as it is known; ``final_loss``: of its last fifth.

    ``steps_to_loss``: steps until the mean loss of a window's length of them is at or below ``workload.target_loss``.
    """

    name: ClassVar[str] = "loss"
    hears: ClassVar[tuple[type[Event], ...]] = (LossEvent, Done)

    def __init__(self, arm: Arm) -> None:
        super().__init__(arm)
        self._workers: dict[str, BoundedSeries] = {}
        self._ends: dict[str, int] = {}
        self._unknown: dict[str, int] = {}
        """Steps of each worker whose losses were not seen, before the last one that was."""

        self._again = False

    def add(self, event: Event) -> None:
        if isinstance(event, Done):
            self._ends[event.subject] = event.step
            return
        assert isinstance(event, LossEvent)
        if event.subject not in self._workers:
            self._workers[event.subject] = BoundedSeries()
        series = self._workers[event.subject]
        place = event.first - self._unknown.get(event.subject, 0)
        if place > series.count:
            self._unknown[event.subject] = event.first - series.count
        elif place < 0:
            self._unknown[event.subject], place = 0, event.first
        self._again |= place < series.count and self.arm.workload.script is not None
        series.truncate(place)  # a worker that was started again goes back
        series.extend([math.nan if value is None else value for value in event.values])

    def quantities(self) -> Iterable[Quantity]:
        stride = max((series.stride for series in self._workers.values()), default=1)
        curves = [coarsened(series.points, stride // series.stride) for series in self._workers.values()]
        curve = [mean(losses) for losses in zip(*curves, strict=False)]  # as far as all of them go
        last = curve[-1] if curve else None
        unknown = max(self._unknown.values(), default=0)
        note = f"losses of {unknown} steps were not seen, and are left out" if unknown else ""
        note = "a script that is started again counts from 0: steps of its last life" if self._again else note
        note = note if curve else self._why_none()
        yield Quantity("loss_curve", "", last, len(curve), samples=tuple(curve), stride=stride, note=note)
        if not unknown:
            yield from self._steps_to_loss(curve, stride)
        elif self.arm.workload.target_loss is not None:
            yield Quantity("steps_to_loss", "steps", None, note=note)
        if not curve or not all(self._is_whole(name) for name in self.arm.workers):
            note = "not all workers trained to the end" if curve else self._why_none()
            yield Quantity("final_loss", "", None, note=note)
            return
        yield from_samples("final_loss", "", curve[-max(1, len(curve) // TAIL) :], note=note)

    def _is_whole(self, name: str) -> bool:
        """Whether the losses of all steps of a worker are there; a script's last window need not be full."""
        job, count = self.arm.workload, self._workers[name].count if name in self._workers else 0
        count += self._unknown.get(name, 0)
        if job.script is None:
            return count >= (job.steps or 0)
        return name in self._ends and count > self._ends[name] - job.window

    def _why_none(self) -> str:
        if self.arm.workload.script is None or not self._ends:
            return "no step ended"
        return "the script goes back from no loss that is seen (autograd.backward, or a loss's own backward)"

    def _steps_to_loss(self, curve: Sequence[float], stride: int) -> Iterable[Quantity]:
        """To a point of the curve, which stands for many steps where there are very many of them."""
        target = self.arm.workload.target_loss
        if target is None:
            return
        width = max(1, self.arm.workload.window // stride)
        ends = range(width, len(curve) + 1)
        reached = next((end * stride for end in ends if fmean(curve[end - width : end]) <= target), None)
        note = "" if reached else f"the mean loss of {width * stride} steps was never at or below {target:g}"
        yield Quantity("steps_to_loss", "steps", reached, 1 if reached else 0, note=note)
