"""Small pictures that stand in a page: intervals, and what happened when. Colours are the page's classes."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup

from harness.report.timeline import Row, Span, Timeline
from harness.vocabulary.quantities import Quantity

_WIDTH, _HEIGHT, _EDGE = 140.0, 14.0, 4.0
_WIDE, _LABEL, _LANE, _FAULT = 900.0, 96.0, 26.0, 14.0
_COLUMNS = 200
_MARKS = 6


def interval(quantity: Quantity, scale: tuple[float, float]) -> Markup:
    """A value and its 95 % interval as a dot on a line, between the ends of a scale; nothing without a value."""
    if quantity.value is None or not scale[1] > scale[0]:
        return Markup()
    low = quantity.value if quantity.low is None else quantity.low
    high = quantity.value if quantity.high is None else quantity.high
    left, dot, right = (_across(value, scale) for value in (low, quantity.value, high))
    middle = _HEIGHT / 2
    return Markup(
        '<svg class="interval" viewBox="0 0 {:g} {:g}" width="{:g}" height="{:g}" role="img">'
        '<line class="axis" x1="0" x2="{:g}" y1="{:g}" y2="{:g}"/>'
        '<line class="range" x1="{:.1f}" x2="{:.1f}" y1="{:g}" y2="{:g}"/>'
        '<circle class="dot" cx="{:.1f}" cy="{:g}" r="3"/></svg>'
    ).format(_WIDTH, _HEIGHT, _WIDTH, _HEIGHT, _WIDTH, middle, middle, left, right, middle, middle, dot, middle)


def scale(quantities: Sequence[Quantity]) -> tuple[float, float]:
    """From zero, so that what differs little looks so, to where all of them and their intervals end."""
    ends = [end for each in quantities for end in (each.value, each.low, each.high) if end is not None]
    return min(0.0, *ends, 0.0), max(0.0, *ends, 0.0)


def _across(value: float, scale: tuple[float, float]) -> float:
    low, high = scale
    return _EDGE + (value - low) / (high - low) * (_WIDTH - 2 * _EDGE)


def over_time(timeline: Timeline) -> Markup:
    """Roles as lanes, with steps a second as height, and below each the faults on it, with their receipts as titles."""
    fastest = max((max(row.rates(timeline.seconds, _COLUMNS)) for row in timeline.rows), default=0.0)
    lanes, top = Markup(), 4.0
    for row in timeline.rows:
        spans = [span for span in timeline.spans if row.role in span.roles]
        lanes += _lane(row, timeline.seconds, fastest, top)
        for place, span in enumerate(spans):
            lanes += _fault(span, timeline.seconds, top + _LANE + place * _FAULT)
        top += _LANE + len(spans) * _FAULT + 6
    return Markup('<svg class="timeline" viewBox="0 0 {:g} {:g}" role="img" aria-label="{}">{}{}</svg>').format(
        _WIDE,
        top + 18,
        f"{timeline.arm}: steps and faults over {timeline.seconds:.1f} s",
        lanes,
        _axis(timeline.seconds, top),
    )


def _x(seconds: float, whole: float) -> float:
    return _LABEL + min(max(seconds / whole, 0.0), 1.0) * (_WIDE - _LABEL - _EDGE)


def _lane(row: Row, seconds: float, fastest: float, top: float) -> Markup:
    label = Markup('<text x="0" y="{:g}">{}</text>').format(top + _LANE - 8, row.role)
    lives = Markup().join(
        Markup('<rect class="life" x="{:.1f}" y="{:g}" width="{:.1f}" height="{:g}"/>').format(
            _x(born, seconds), top, _x(gone, seconds) - _x(born, seconds), _LANE - 2
        )
        for born, gone in row.lives
    )
    if not fastest or not row.windows:
        return label + lives
    points = " ".join(
        f"{_x((place + 0.5) / _COLUMNS * seconds, seconds):.1f},{top + (_LANE - 2) * (1 - rate / fastest):.1f}"
        for place, rate in enumerate(row.rates(seconds, _COLUMNS))
    )
    floor = top + _LANE - 2
    return (
        label
        + lives
        + Markup('<polygon class="steps" points="{:g},{:g} {} {:g},{:g}"/>').format(
            _LABEL, floor, points, _WIDE - _EDGE, floor
        )
    )


def _fault(span: Span, seconds: float, top: float) -> Markup:
    left, right = _x(span.begin, seconds), _x(span.end, seconds)
    words = f"{span.name}: receipt {span.word}; {span.evidence}"
    return Markup(
        '<g class="fault {}"><title>{}</title><rect x="{:.1f}" y="{:g}" width="{:.1f}" height="{:g}"/>'
        '<text x="{:.1f}" y="{:g}" text-anchor="{}">{}</text></g>'
    ).format(
        "stands" if span.stands else "missing",
        words,
        left,
        top,
        max(right - left, 2.0),
        _FAULT - 3,
        *((right + 4, top + 9, "start") if right < _WIDE - 200 else (left - 4, top + 9, "end")),
        span.name,
    )


def _axis(seconds: float, top: float) -> Markup:
    marks = [seconds * mark / (_MARKS - 1) for mark in range(_MARKS)]
    return Markup().join(
        Markup('<text class="axis-text" x="{:.1f}" y="{:g}" text-anchor="{}">{:.3g} s</text>').format(
            _x(mark, seconds), top + 12, "end" if mark == seconds else "middle", mark
        )
        for mark in marks
    )
