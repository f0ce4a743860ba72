"""Timelines as a picture in a file, SVG or PNG."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from harness.report.timeline import Row, Span, Timeline

_COLUMNS = 400
_COLOURS = {"link": "#4c72b0", "process": "#c44e52", "worker": "#8172b3"}
_STEPS, _LOAD, _ALIVE = "#55a868", "#64b5cd", "#dddddd"
_ROW_INCHES, _WIDTH_INCHES = 0.42, 10.0
_CHARACTER = 0.007
"""Of the width, that a character of a label takes."""


def draw(timelines: Sequence[Timeline], title: str, path: Path) -> None:
    """Write the picture; the ending of the name decides on its form. OSError when it cannot be written."""
    heights = [len(timeline.labels) for timeline in timelines]
    inches = sum(heights) * _ROW_INCHES + 0.9 * len(timelines) + 0.4
    figure = Figure(figsize=(_WIDTH_INCHES, inches), layout="constrained")
    figure.suptitle(title, fontsize=10)
    panels = figure.subplots(len(timelines), 1, squeeze=False, height_ratios=heights)[:, 0]
    for timeline, axes in zip(timelines, panels, strict=True):
        _panel(axes, timeline)
    with rc_context({"svg.fonttype": "none", "svg.hashsalt": "harness"}):  # small, and the same for the same run
        figure.savefig(path, dpi=150, metadata={"Date": None} if path.suffix == ".svg" else None)


def _panel(axes: Axes, timeline: Timeline) -> None:
    cell = timeline.seconds / _COLUMNS
    rates = [row.rates(timeline.seconds, _COLUMNS) for row in timeline.rows]
    peak = max(map(max, rates)) or 1.0
    places = {label: len(timeline.labels) - 1 - number for number, label in enumerate(timeline.labels)}
    for row, rate in zip(timeline.rows, rates, strict=True):
        _row(axes, row, places[row.role], [0.8 * height / peak for height in rate], cell, timeline.seconds)
    for load in timeline.loads:
        shares = [0.8 * (share or 0.0) for share in load.shares(timeline.seconds, _COLUMNS)]
        _fill(axes, places[load.gpu], shares, cell, _LOAD)
    for role, place in places.items():
        spans = sorted((span for span in timeline.spans if role in span.roles), key=lambda span: span.begin)
        for span in spans:
            _span(axes, span, place, timeline.seconds)
        for label in labels(spans, timeline.seconds):
            axes.text(label.at, place + 0.86, label.text, fontsize=7, va="bottom", color=_COLOURS[label.kind])
    axes.set_yticks([place + 0.4 for place in places.values()], list(places))
    axes.set_xlim(0, timeline.seconds)
    axes.set_ylim(-0.1, len(places))
    axes.set_xlabel(f"seconds ({timeline.arm}: {timeline.outcome}; {_full(timeline, peak)})", fontsize=8)
    axes.tick_params(labelsize=8)
    axes.spines[["top", "right", "left"]].set_visible(False)


def _full(timeline: Timeline, peak: float) -> str:
    return f"full height {peak:.4g} steps/s" + (", of a GPU all of its time" if timeline.loads else "")


def _row(axes: Axes, row: Row, place: int, heights: Sequence[float], cell: float, seconds: float) -> None:
    for born, gone in row.lives:
        axes.barh(place + 0.4, min(gone, seconds) - born, 0.8, left=born, color=_ALIVE, linewidth=0)
        if gone < seconds:
            axes.text(gone, place + 0.4, "†", fontsize=9, va="center", ha="center")
    _fill(axes, place, heights, cell, _STEPS)


def _fill(axes: Axes, place: int, heights: Sequence[float], cell: float, colour: str) -> None:
    times = [(number + 0.5) * cell for number in range(len(heights))]
    axes.fill_between(times, place, [place + height for height in heights], color=colour, linewidth=0)


def _span(axes: Axes, span: Span, place: int, seconds: float) -> None:
    """Shaded, and hatched where the receipt does not stand."""
    width, colour = max(span.end - span.begin, seconds / _COLUMNS), _COLOURS[span.kind]
    hatch = None if span.stands else "xx"
    axes.barh(place + 0.4, width, 0.9, left=span.begin, color=colour, alpha=0.35, hatch=hatch, edgecolor=colour)


@dataclass(frozen=True)
class Label:
    """Text that begins at a time, in the colour of a kind of fault."""

    at: float
    text: str
    kind: str


def labels(spans: Sequence[Span], seconds: float) -> list[Label]:
    """What stands at the spans of one role, in order of their beginnings, so that no two texts overlap.

    The name of a fault where there is room before the next, else its number; those of several that begin where one
    number has hardly room stand together: ``10-13``.
    """
    placed: list[Label] = []
    waiting = list(spans)
    while waiting:
        group = [waiting.pop(0)]
        while waiting and waiting[0].begin < group[0].begin + _width(_numbers(group), seconds):
            group.append(waiting.pop(0))
        first, room = group[0], (waiting[0].begin if waiting else seconds) - group[0].begin
        name = f"{first.number} {first.name}{'' if first.stands else f' ({first.word})'}"
        whole = len(group) == 1 and _width(name, seconds) < room
        placed.append(Label(first.begin, name if whole else _numbers(group), first.kind))
    return placed


def _numbers(spans: Sequence[Span]) -> str:
    first, last = (span.number for span in (spans[0], spans[-1]))
    return str(first) if len(spans) == 1 else f"{first}-{last}"


def _width(text: str, seconds: float) -> float:
    """Seconds that a text takes, with a gap after it."""
    return (len(text) + 1) * _CHARACTER * seconds
