"""A verdict as notebooks want it: with a picture."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING

from harness.judging import verdict

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_PANELS = (("throughput", "", "window"), ("loss_curve", "loss", "step"))
"""The measure, what stands beside its axis (the unit, unless this says it), and what is counted along it."""
_INCHES = (9.0, 3.2)


class Verdict(verdict.Verdict):
    """The judgement of a run, with `plot`."""

    @classmethod
    def of(cls, judged: verdict.Verdict) -> Verdict:
        """Give a verdict its picture."""
        return cls(**{field.name: getattr(judged, field.name) for field in fields(judged)})

    def plot(self, path: str | Path | None = None) -> Figure:
        """Throughput by window, its median shaded with its interval, and loss by step, a line each arm.

        With ``path``, also write it; the ending decides on the form. OSError when it cannot be written.
        """
        from matplotlib.figure import Figure  # half a second that only pictures pay

        figure = Figure(figsize=_INCHES, layout="constrained")
        panels = figure.subplots(1, len(_PANELS), squeeze=False)[0]
        for axes, (name, label, unit) in zip(panels, _PANELS, strict=True):
            _panel(axes, self, name)
            axes.set_xlabel(unit)
            axes.set_ylabel(label or next((arm.get(name).unit for arm in self.arms), ""))
        if self.arms:
            panels[0].legend(frameon=False)
        figure.suptitle(f"{self.verdict}: {self.title}", fontsize=10)
        if path is not None:
            figure.savefig(path, dpi=150)
        return figure


def _panel(axes: Axes, judged: Verdict, name: str) -> None:
    for arm in judged.arms:
        quantity = arm.get(name)
        samples: Sequence[float] = quantity.samples
        places = [place * quantity.stride for place in range(len(samples))]
        (line,) = axes.plot(places, samples, label=arm.arm, linewidth=1)
        if quantity.low is not None and quantity.high is not None and quantity.low != quantity.high:
            axes.axhspan(quantity.low, quantity.high, color=line.get_color(), alpha=0.15, linewidth=0)
    axes.set_ylim(bottom=0)
    axes.spines[["top", "right"]].set_visible(False)
