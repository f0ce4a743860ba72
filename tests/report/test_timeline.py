from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from harness.judging.judge import judge
from harness.planning.plan import Plan
from harness.report.figure import draw, labels
from harness.report.timeline import Span, Timeline, render, timelines
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

SINGLE = "title: q\nworkload: {model: mlp, steps: 100, warmup: 10}\n"
PAUSE = {"pause": {"select": {"role": "worker"}, "at": {"step": 50}, "for": {"time": "3s"}}}
W = "worker/0"
PAST: list[Event] = [
    Spawned(100.0, "main", W, 1, None),
    Window(103.0, "main", W, 0, 50, 2.0),
    Injected(103.0, "main", W, 0, 50),
    Healed(106.0, "main", W, 0, None),
    Window(108.0, "main", W, 50, 50, 2.0),
    Done(108.5, "main", W, 100),
    Exited(109.0, "main", W, 0, None),
    Ended(110.0, "main", "", "completed", "all left"),
]


def _timeline(plan_of: Callable[..., Plan]) -> Timeline:
    plan = plan_of(SINGLE, ("faults", [PAUSE]))
    (timeline,) = timelines(plan, PAST, judge(plan, PAST, "id", {}))
    return timeline


def test_rows_hold_lives_and_windows_and_spans_hold_faults(plan_of: Callable[..., Plan]) -> None:
    timeline = _timeline(plan_of)
    (row,), (span,) = timeline.rows, timeline.spans
    assert (timeline.seconds, timeline.outcome) == (10.0, "completed")
    assert (row.lives, row.windows, row.done) == ([[0.0, 9.0]], [(1.0, 3.0, 50), (6.0, 8.0, 50)], 8.5)
    assert (span.begin, span.end, span.roles, span.stands) == (3.0, 6.0, (W,), False)
    assert row.rates(10.0, 5) == pytest.approx([12.5, 12.5, 0.0, 25.0, 0.0])


def test_it_is_drawn_in_characters(plan_of: Callable[..., Plan]) -> None:
    console = Console(width=30, no_color=True)
    with console.capture() as capture:
        console.print(render(_timeline(plan_of), 30))
    lines = capture.get().splitlines()
    row = next(line for line in lines if line.startswith(W))
    assert row.rstrip() == "worker/0  ··████······████·✓†"
    assert "└────┘ 0 pause" in capture.get()
    assert "s: missing; " in capture.get().replace("\n", " ")


def test_it_is_drawn_into_files(plan_of: Callable[..., Plan], tmp_path: Path) -> None:
    for name, begin in (("t.svg", b"<?xml"), ("t.png", b"\x89PNG")):
        draw([_timeline(plan_of)], "a title", tmp_path / name)
        assert (tmp_path / name).read_bytes().startswith(begin)


def test_a_gpu_has_a_row_of_its_own(plan_of: Callable[..., Plan], tmp_path: Path) -> None:
    """Until it answers no more; a column in which nobody asked is as the one before."""
    told = [(101.0, 0.5), (103.0, 1.0), (103.5, 0.5)]
    past = [
        *(GpuSampled(t, "main", "gpu/0", {"utilisation": share}, {}, [], {}) for t, share in told),
        GpuMissing(107.0, "main", "gpu/0", "GPU is lost"),
        GpuMissing(109.5, "main", "", "sampling ended"),
    ]
    plan = plan_of(SINGLE, ("faults", [PAUSE]))
    whole = sorted([*PAST, *past], key=lambda event: event.t)
    (timeline,) = timelines(plan, whole, judge(plan, whole, "id", {}))
    (load,) = timeline.loads
    assert load.shares(10.0, 10) == [None, 0.5, 0.5, 0.75, 0.75, 0.75, 0.75, None, None, None]
    console = Console(width=30, no_color=True)
    with console.capture() as capture:
        console.print(render(timeline, 30))
    lines = capture.get().splitlines()
    assert next(line for line in lines if line.startswith("gpu/0")) == "gpu/0     ??▄▄▄▄█▄▄▄▄▄▄▄??????"
    draw([timeline], "a title", tmp_path / "t.svg")
    assert ">gpu/0<" in (tmp_path / "t.svg").read_text()


def _span(number: int, begin: float, stands: bool = True) -> Span:
    return Span(number, "pause", (W,), begin, begin + 0.5, "process", stands, "proven", "so")


@pytest.mark.parametrize(
    ("begins", "texts"),
    [
        ([10.0, 50.0], ["0 pause", "1 pause"]),
        ([10.0, 13.0], ["0", "1 pause"]),
        ([10.0, 10.5, 11.0, 50.0], ["0-2", "3 pause"]),
        ([10.0, 12.0, 14.0], ["0", "1", "2 pause"]),
        ([], []),
    ],
)
def test_labels_have_room(begins: list[float], texts: list[str]) -> None:
    placed = labels([_span(number, begin) for number, begin in enumerate(begins)], 100.0)
    assert [label.text for label in placed] == texts


@given(st.lists(st.floats(0, 100), max_size=40))
def test_labels_never_overlap(begins: list[float]) -> None:
    placed = labels([_span(number, begin) for number, begin in enumerate(sorted(begins))], 100.0)
    for label, following in pairwise(placed):
        assert label.at + len(label.text) * 0.7 < following.at


def test_a_fault_whose_receipt_does_not_stand_says_why() -> None:
    off = replace(_span(3, 10.0), stands=False, word="dose is off")
    assert labels([off], 100.0)[0].text == "3 pause (dose is off)"


def test_each_time_in_force_has_its_own_end_and_the_last_one_the_receipt(plan_of: Callable[..., Plan]) -> None:
    plan = plan_of(SINGLE, ("faults", [PAUSE]))
    again = [Injected(108.0, "main", W, 0, 60), Healed(108.5, "main", W, 0, 70)]
    past = [*PAST[:5], *again, *PAST[5:]]
    (timeline,) = timelines(plan, past, judge(plan, past, "id", {}))
    spans = [(span.begin, span.end, span.word, span.evidence) for span in timeline.spans]
    assert spans == [(3.0, 6.0, "missing", "goes on below"), (8.0, 8.5, "missing", "no STOP was sent")]
