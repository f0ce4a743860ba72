from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from harness.measures.goodput import Goodput
from harness.planning.plan import Plan
from harness.vocabulary.events import Done, Samples, Started, Window

SINGLE = "title: q\nworkload: {model: mlp, steps: 200, warmup: 10, batch_size: 32}\n"
W = "worker/0"


def _windows(t: float, first: int, count: int, seconds: float = 1.0) -> list[Window]:
    return [Window(t + seconds * (n + 1), "main", W, first + 10 * n, 10, seconds) for n in range(count)]


def test_every_stall_is_in_it_and_steps_done_twice_count_once(plan_of: Callable[..., Plan]) -> None:
    measure = Goodput(plan_of(SINGLE).arms[0])
    again = [*_windows(0.0, 0, 8), *_windows(20.0, 50, 5)]
    for event in (Started(0.0, "main", ""), *again, Done(25.0, "main", W, 100)):
        measure.add(event)
    (goodput,) = measure.quantities()
    assert (goodput.value, goodput.unit, goodput.n) == (100 * 32 / 25.0, "samples/s", 12)
    assert goodput.low == pytest.approx(goodput.value)  # all windows are alike


def test_without_a_window_there_is_none(plan_of: Callable[..., Plan]) -> None:
    (goodput,) = Goodput(plan_of(SINGLE).arms[0]).quantities()
    assert (goodput.value, goodput.note) == (None, "no window ended")


def test_of_batches_that_vary_each_counts_with_its_own_size(plan_of: Callable[..., Plan]) -> None:
    sizes = {"distribution": "choice", "values": [8, 64]}
    arm = plan_of(SINGLE, ("workload.batch_size", sizes)).arms[0]
    measure = Goodput(arm)
    for event in (Started(0.0, "main", ""), *_windows(0.0, 0, 3), Done(5.0, "main", W, 30)):
        measure.add(event)
    (goodput,) = measure.quantities()
    assert goodput.value == sum(arm.workload.batch_sizes[:30]) / 5.0


@pytest.mark.parametrize(
    ("counts", "expected"),
    [
        ([[8] * 20, [64] * 10], (20 * 8 + 10 * 64) / 5.0),
        ([[8] * 20, [64] * 10, [64] * 3], (20 * 8 + 13 * 64) / 5.0),  # the last window was not filled
        ([[8] * 20, [8] * 10, [64] * 10], (30 * 8 + 10 * 64) / 5.0),
        ([[8] * 20, [None, *[8] * 9]], None),
        ([[8] * 20], None),
    ],
)
def test_of_a_script_each_step_counts_as_it_was_seen(
    plan_of: Callable[..., Plan], tmp_path: Path, counts: list[list[int | None]], expected: float | None
) -> None:
    (tmp_path / "train.py").write_text("")
    arm = plan_of(f"title: t\nworkload: {{script: {tmp_path / 'train.py'}}}\n").arms[0]
    measure, first = Goodput(arm), 0
    measure.add(Started(0.0, "main", ""))
    for each in counts:
        measure.add(Samples(1.0, "main", W, first, each, [], []))
        first += len(each)
    for event in (*_windows(0.0, 0, 3), Done(5.0, "main", W, 30)):
        measure.add(event)
    (goodput,) = measure.quantities()
    assert goodput.value == expected
