"""A comparison as a picture: every pair a dot, the interval as it became narrower, and what could be seen by then."""

from __future__ import annotations

import io
import math
import textwrap
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path

from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from harness.statistics.sequential import MIN_VALUES, Sequential
from harness.studies.compare import Compare
from harness.studies.compared import MEASURES
from harness.studies.finding import sentence
from harness.studies.sides import Side

_COLUMNS = 90
"""Of a title, which no other panel then covers."""
_DOT, _BAND, _MARGIN = "#4c72b0", "#4c72b0", "#55a868"


def draw(study: Compare, path: Path) -> None:
    """Write the picture; the ending of the name decides on its form. OSError when it cannot be written."""
    _save(study, path, path.suffix.removeprefix("."))


def svg(study: Compare) -> str:
    """The picture as SVG."""
    file = io.BytesIO()
    _save(study, file, "svg")
    return file.getvalue().decode("utf-8")


def _save(study: Compare, file: Path | io.BytesIO, form: str) -> None:
    others = study.scenario.sides[1:]
    figure = Figure(figsize=(10.0, 3.2 * len(others) + 0.4), layout="constrained")
    figure.suptitle(str(study.scenario.values["title"]), fontsize=10)
    panels = figure.subplots(len(others), 2, squeeze=False, width_ratios=(3, 2))
    for side, (left, right) in zip(others, panels, strict=True):
        _pairs(left, study, side)
        _detectable(right, study, side)
    with rc_context({"svg.fonttype": "none", "svg.hashsalt": "harness"}):
        figure.savefig(file, dpi=150, format=form, metadata={"Date": None} if form == "svg" else None)


@dataclass(frozen=True)
class _Point:
    """A pair that counts: seconds spent until its end, its effect, and what was known by then."""

    seconds: float
    effect: float
    mean: Sequential
    disturbed: bool


def _points(study: Compare, side: Side) -> list[_Point]:
    measure = study.question_.measure
    spent = zip(study.evidence.pairs, accumulate(pair.seconds for pair in study.evidence.pairs), strict=True)
    known = [
        (seconds, pair.effects.get(measure, {}).get(side.name), bool(pair.disturbed))
        for pair, seconds in spent
        if pair in study.evidence.counted
    ]
    effects = [(seconds, effect, disturbed) for seconds, effect, disturbed in known if effect is not None]
    means = zip(effects, study.evidence.means(measure, side), strict=True)
    return [_Point(seconds, effect, mean, disturbed) for (seconds, effect, disturbed), mean in means]


def _scaled(study: Compare, value: float) -> float:
    return value if MEASURES[study.question_.measure].absolute else 100 * math.expm1(value)


def _pairs(axes: Axes, study: Compare, side: Side) -> None:
    points = _points(study, side)
    told = [point for point in points if math.isfinite(point.mean.half)]
    effects = [_scaled(study, point.effect) for point in points]
    axes.axhline(0, color="#999999", linewidth=0.8)
    if (margin := study.evidence.margin(study.question_.measure)) is not None and math.isfinite(margin.low):
        axes.axhspan(_scaled(study, margin.low), _scaled(study, margin.high), color=_MARGIN, alpha=0.12, linewidth=0)
    filled = ["none" if point.disturbed else _DOT for point in points]
    at = [point.seconds for point in points]
    axes.scatter(at, effects, s=16, facecolors=filled, edgecolors=_DOT, linewidths=0.8)  # an alpha would fill "none"
    if told:
        at = [point.seconds for point in told]
        low, high = ([_scaled(study, getattr(point.mean, end)) for point in told] for end in ("low", "high"))
        axes.fill_between(at, low, high, color=_BAND, alpha=0.2, linewidth=0)
        axes.plot(at, [_scaled(study, point.mean.estimate) for point in told], color=_BAND, linewidth=1.2)
        axes.vlines(at[-1], low[-1], high[-1], color=_BAND, linewidth=1.2)
        reach = max(map(abs, [*effects, low[-1], high[-1]]))
        axes.set_ylim(-1.3 * reach, 1.3 * reach)
    finding = study.evidence.answer(side)
    first, found = study.scenario.sides[0], study.meanings.get(side.name)
    other = "; ANOTHER MEANING" if found is not None and found.word == "different" else ""
    beside = f"{side.name}: {side.label}, beside {first.name}: {first.label}"
    doubt = f"{study.evidence.doubt}: hollow dots" if study.evidence.doubt else ""
    answer = f"{sentence(finding)}{doubt}{other}"
    words = [line for text in (answer, beside) for line in textwrap.wrap(text, _COLUMNS)]
    axes.set_title("\n".join(words), fontsize=8, loc="left")
    measure = study.question_.compared
    _labelled(axes, f"{measure.name}, {'difference' if measure.absolute else '% of change'}")


def _detectable(axes: Axes, study: Compare, side: Side) -> None:
    told = [point for point in _points(study, side) if math.isfinite(point.mean.half)]
    sizes = [_scaled(study, point.mean.detectable) for point in told]
    axes.set_title("smallest effect that four of five such comparisons find", fontsize=8, loc="left")
    _labelled(axes, "detectable" if study.question_.compared.absolute else "detectable, %")
    if not told:
        axes.set(xticks=[], yticks=[])
        few = len(study.evidence.counted) < MIN_VALUES
        why = f"an interval needs {study.question_.compared.counted(MIN_VALUES)}" if few else "no look was due yet"
        axes.text(0.5, 0.5, why, ha="center", fontsize=8, transform=axes.transAxes)
        return
    axes.plot([point.seconds for point in told], sizes, ".-", color=_DOT)
    axes.set_ylim(0, 1.2 * max(sizes))
    axes.set_xlim(0, 1.05 * told[-1].seconds)


def _labelled(axes: Axes, what: str) -> None:
    axes.set_xlabel("seconds of pairs", fontsize=8)
    axes.set_ylabel(what, fontsize=8)
    axes.tick_params(labelsize=8)
    axes.spines[["top", "right"]].set_visible(False)
