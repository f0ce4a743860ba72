"""A run over time: roles as rows, steps as density, faults as spans with their receipts."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean

from rich.console import Group, RenderableType
from rich.text import Text

from harness.judging.verdict import Verdict
from harness.planning.plan import Arm, Plan
from harness.vocabulary.events import (
    Done,
    Ended,
    Event,
    Exited,
    GpuMissing,
    GpuSampled,
    Healed,
    Injected,
    Spawned,
    Window,
)
from harness.vocabulary.receipts import Receipt

_BARS = " ▁▂▃▄▅▆▇█"
_SHADES = {"link": "on dark_blue", "process": "on dark_red", "worker": "on dark_magenta"}
_LEAST_COLUMNS = 20


@dataclass(frozen=True)
class Span:
    """One time in which a fault was in force, in seconds of the arm, with its receipt's word; after the last, why."""

    number: int
    name: str
    roles: tuple[str, ...]
    begin: float
    end: float
    kind: str
    stands: bool
    word: str = ""
    evidence: str = ""


@dataclass
class Row:
    """One role: when it lived, its windows as ``(begin, end, steps)``, when it was done and when it ended."""

    role: str
    lives: list[list[float]] = field(default_factory=list)
    windows: list[tuple[float, float, int]] = field(default_factory=list)
    done: float | None = None

    def rates(self, seconds: float, columns: int) -> list[float]:
        """Steps a second in each of so many columns; those of a window count evenly over it."""
        each, rates = seconds / columns, [0.0] * columns
        for first, last, count in self.windows:
            rate = count / max(last - first, 1e-9)
            for column in range(max(0, int(first / each)), min(columns, math.ceil(last / each))):
                inside = min(last, (column + 1) * each) - max(first, column * each)
                rates[column] += rate * max(0.0, inside) / each
        return rates

    def alive(self, begin: float, end: float) -> bool:
        """Whether the process was there at any time between."""
        return any(born < end and gone > begin for born, gone in self.lives)


@dataclass
class Load:
    """One GPU: whenever NVML was asked, the share of the time in which it computed; None without an answer."""

    gpu: str
    samples: list[tuple[float, float | None]] = field(default_factory=list)

    def shares(self, seconds: float, columns: int) -> list[float | None]:
        """In each of so many columns: the mean of what was told in it, else what was told last; None for no answer."""
        told: list[list[float | None]] = [[] for _ in range(columns)]
        for t, share in self.samples:
            told[min(max(0, int(t * columns / seconds)), columns - 1)].append(share)
        shares, last = list[float | None](), None
        for column in told:
            known = [share for share in column if share is not None]
            last = fmean(known) if known else None if column else last
            shares.append(last)
        return shares


@dataclass(frozen=True)
class Timeline:
    """One arm from its first process to its end, in seconds."""

    arm: str
    seconds: float
    outcome: str
    rows: Sequence[Row]
    spans: Sequence[Span]
    loads: Sequence[Load] = ()

    @property
    def labels(self) -> list[str]:
        """Of every row, GPUs last."""
        return [*(row.role for row in self.rows), *(load.gpu for load in self.loads)]


def timelines(plan: Plan, past: Iterable[Event], verdict: Verdict) -> list[Timeline]:
    """One for each arm, from a history in order."""
    events: dict[str, list[Event]] = {arm.name: [] for arm in plan.arms}
    for event in past:
        if isinstance(event, Spawned | Window | Injected | Healed | Exited | Done | Ended | GpuSampled | GpuMissing):
            events[event.arm].append(event)
    receipts = {arm.arm: {receipt.fault: receipt for receipt in arm.receipts} for arm in verdict.arms}
    drawn = []
    for arm in plan.arms:
        own = events[arm.name]
        if own:
            spans = _spans(arm, own, receipts[arm.name])
            drawn.append(_timeline(arm, own, spans))
    return drawn


def _timeline(arm: Arm, events: Sequence[Event], spans: Sequence[Span]) -> Timeline:
    begin, end = events[0].t, events[-1].t
    loads: dict[str, Load] = {}
    rows = {role.name: Row(role.name) for role in arm.roles}
    outcome = "no end"
    for event in events:
        row, t = rows.get(event.subject), event.t - begin
        if isinstance(event, Ended):
            outcome, end = event.outcome, event.t
        elif isinstance(event, GpuSampled | GpuMissing):
            share = event.values.get("utilisation") if isinstance(event, GpuSampled) else None
            loads.setdefault(event.subject, Load(event.subject)).samples.append((t, share))
        elif row is None:
            continue
        elif isinstance(event, Spawned):
            row.lives.append([t, float("inf")])
        elif isinstance(event, Window):
            row.windows.append((t - event.seconds, t, event.steps))
        elif isinstance(event, Done):
            row.done = t
        elif isinstance(event, Exited) and row.lives:
            row.lives[-1][1] = t
    known = [load for gpu, load in sorted(loads.items()) if gpu]
    return Timeline(arm.name, max(end - begin, 1e-3), outcome, list(rows.values()), spans, known)


def _spans(arm: Arm, events: Sequence[Event], receipts: Mapping[int, Receipt]) -> list[Span]:
    begin = events[0].t
    end = next((event.t for event in events if isinstance(event, Ended)), events[-1].t)
    began = [event for event in events if isinstance(event, Injected)]
    last = {event.fault: event for event in began}
    spans = []
    for event in began:
        injection = arm.schedule[event.fault]
        roles: tuple[str, ...] = (injection.subject,)
        if arm.network is not None and injection.part.kind == "link":
            roles = arm.network.named(injection.subject).roles
        healed = (other for other in events if isinstance(other, Healed) and other.fault == event.fault)
        until = next((other.t for other in healed if other.t >= event.t), end) - begin
        receipt, name, kind = receipts[event.fault], injection.part.name, injection.part.kind
        told = receipt.evidence if event is last[event.fault] else "goes on below"
        spans.append(Span(event.fault, name, roles, event.t - begin, until, kind, receipt.stands, receipt.word, told))
    return spans


def render(timeline: Timeline, width: int) -> RenderableType:
    """For terminals: bars are steps a second, each row against the fastest; below it, the faults on that role.

    Of GPUs they are the share of time in which they computed.
    """
    label = max(map(len, timeline.labels)) + 2
    columns = max(_LEAST_COLUMNS, width - label)
    each = timeline.seconds / columns
    rates = [row.rates(timeline.seconds, columns) for row in timeline.rows]
    peak = max(map(max, rates))
    head = f"{timeline.arm}: {timeline.outcome}, {timeline.seconds:.1f} s, a column is {each:.2g} s"
    head += f", a full bar {peak:.4g} steps/s" if peak else ""
    parts: list[RenderableType] = [Text(head + (", of a GPU all of its time" if timeline.loads else ""), "bold")]
    for row, own in zip(timeline.rows, rates, strict=True):
        spans = [span for span in timeline.spans if row.role in span.roles]
        heights = [rate / peak if peak else 0.0 for rate in own]
        parts.append(_bars(row, label, each, heights, spans))
        parts += [_bracket(span, label, each, columns) for span in spans]
    for load in timeline.loads:
        glyphs = map(_share_glyph, load.shares(timeline.seconds, columns))
        parts.append(Text(load.gpu.ljust(label) + "".join(glyphs), "cyan"))
    return Group(*parts, *(_legend(span) for span in timeline.spans))


def _bars(row: Row, label: int, each: float, heights: Sequence[float], spans: Sequence[Span]) -> Text:
    text = Text(row.role.ljust(label))
    for column, height in enumerate(heights):
        begin, end = column * each, (column + 1) * each
        span = next((other for other in spans if other.begin < end and other.end > begin), None)
        text.append(_glyph(row, begin, end, height), _SHADES[span.kind] if span else "")
    return text


def _glyph(row: Row, begin: float, end: float, height: float) -> str:
    if row.done is not None and begin <= row.done < end:
        return "✓"
    if any(begin <= gone < end for _, gone in row.lives):
        return "†"
    if not row.alive(begin, end):
        return " "
    return _BARS[max(1, round(height * (len(_BARS) - 1)))] if height else "·"


def _share_glyph(share: float | None) -> str:
    """A full bar is all of the time; a question mark, no answer."""
    return "?" if share is None else _BARS[max(1, round(share * (len(_BARS) - 1)))]


def _bracket(span: Span, label: int, each: float, columns: int) -> Text:
    """The span in characters, so that it is seen without colours too."""
    first = min(int(span.begin / each), columns - 1)
    last = min(max(math.ceil(span.end / each) - 1, first), columns - 1)
    line = "╵" if last == first else "└" + "─" * (last - first - 1) + "┘"
    label_text = f" {span.number} {span.name}"
    if label + last + 1 + len(label_text) <= label + columns:
        return Text(" " * (label + first) + line + label_text, "dim")
    return Text(label_text.strip().rjust(max(0, label + first - 1)) + " " + line, "dim")


def _legend(span: Span) -> Text:
    word = (span.word, "green" if span.stands else "bold red")
    when = f"{span.number} {span.name} of {', '.join(span.roles)}, {span.begin:.2f} to {span.end:.2f} s: "
    return Text.assemble(when, word, f"; {span.evidence}" if span.evidence else "")
