from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from harness.measures.throughput import Throughput
from harness.planning.plan import Plan
from harness.vocabulary.events import Done, Exited, Healed, Injected, Samples, Spawned, Window
from harness.vocabulary.quantities import Quantity

SLOW = {"slow": {"select": {"role": "worker", "rank": 1}, "at": {"step": 40}, "for": {"steps": 20}, "factor": 3}}


def _window(t: float, role: str, first: int, seconds: float, steps: int = 10) -> Window:
    return Window(t, "main", role, first, steps, seconds)


def _named(measure: Throughput) -> dict[tuple[str, str], Quantity]:
    return {(quantity.name, quantity.subject): quantity for quantity in measure.quantities()}


def test_workers_add_up_and_the_warm_up_does_not_count(plan_of: Callable[..., Plan]) -> None:
    measure = Throughput(plan_of().arms[0])  # batch 32, warm-up 20
    for event in (
        _window(1.0, "worker/0", 10, 99.0),
        _window(2.0, "worker/0", 20, 1.0),
        _window(2.0, "worker/1", 20, 1.0, steps=5),
        _window(3.0, "worker/0", 30, 1.0),
        _window(3.0, "worker/1", 25, 1.0, steps=5),
    ):
        measure.add(event)
    measured = _named(measure)
    assert measured["throughput", ""].value == pytest.approx(480)
    assert measured["throughput", ""].n == 2
    assert measured["seconds_per_sample", ""].value == pytest.approx(1 / 480)
    assert measured["throughput", "worker/1"].value == pytest.approx(160)


def test_a_slow_worker_beside_a_fast_one_counts_at_every_moment(plan_of: Callable[..., Plan]) -> None:
    measure = Throughput(plan_of().arms[0])
    for second in range(1, 7):
        measure.add(_window(float(second), "worker/0", 20 + second * 10, 1.0))
    for second in (3, 6):
        measure.add(_window(float(second), "worker/1", 20 + second, 3.0))
    measured = _named(measure)["throughput", ""]
    assert measured.samples == pytest.approx([320 + 320 / 3] * 6)


def test_a_worker_that_died_counts_until_then(plan_of: Callable[..., Plan]) -> None:
    measure = Throughput(plan_of().arms[0])
    for second in range(1, 5):
        measure.add(_window(float(second), "worker/0", 20 + second * 10, 1.0))
    measure.add(_window(2.0, "worker/1", 20, 2.0))
    assert _named(measure)["throughput", ""].samples == pytest.approx([480, 480, 320, 320])


def test_windows_within_a_fault_are_told_apart(fault_plan: Callable[..., Plan]) -> None:
    measure = Throughput(fault_plan(SLOW).arms[0])
    for event in (
        _window(1.0, "worker/0", 30, 1.0),
        Injected(1.0, "main", "worker/1", 0, 40),
        _window(4.0, "worker/0", 40, 3.1),  # began before the fault
        _window(7.0, "worker/0", 50, 3.0),
        Healed(7.0, "main", "worker/1", 0, 60),
        _window(8.0, "worker/0", 60, 1.0),
    ):
        measure.add(event)
    measured = _named(measure)["throughput_in_fault", ""]
    assert (measured.n, measured.value, measured.note) == (1, pytest.approx(320 / 3), "too few for an interval")


def test_while_one_of_two_faults_lasts_windows_are_within_a_fault(fault_plan: Callable[..., Plan]) -> None:
    measure = Throughput(fault_plan(SLOW).arms[0])
    for event in (
        Injected(1.0, "main", "worker/1", 0, 40),
        Injected(2.0, "main", "server/0", 1, None),
        Healed(3.0, "main", "server/0", 1, None),
        _window(4.5, "worker/0", 50, 1.0),
    ):
        measure.add(event)
    assert _named(measure)["throughput_in_fault", ""].n == 1


def test_without_windows_it_says_so(plan_of: Callable[..., Plan]) -> None:
    measured = _named(Throughput(plan_of().arms[0]))
    assert measured["throughput", ""].value is None
    assert measured["throughput", ""].note == "no window after the warm-up"
    assert ("throughput_in_fault", "") not in measured


def test_it_does_not_matter_who_is_heard_first(plan_of: Callable[..., Plan]) -> None:
    """A fast and a slow worker of dist_async, with as many windows: until the fast one is through, both count."""
    fast = [_window(float(second), "worker/0", second * 10 + 10, 1.0) for second in range(1, 9)]
    slow = [_window(3.0 * turn, "worker/1", turn * 10 + 10, 3.0) for turn in range(1, 9)]
    measured = []
    for order in ((*fast, *slow), (*slow, *fast)):
        measure = Throughput(plan_of().arms[0])
        for window in order:
            measure.add(window)
        measured.append(_named(measure)["throughput", ""].samples)
    assert measured[0] == measured[1] == pytest.approx([320 + 320 / 3] * 8)


def test_a_worker_that_is_started_again_does_not_count_meanwhile(plan_of: Callable[..., Plan]) -> None:
    measure = Throughput(plan_of().arms[0])
    for event in (
        *(_window(float(second), "worker/0", 10 + second * 10, 1.0) for second in range(1, 7)),
        _window(1.0, "worker/1", 20, 1.0),
        Exited(1.1, "main", "worker/1", None, 9),
        Spawned(2.0, "main", "worker/1", 7, 0),
        *(_window(float(second), "worker/1", second * 10 - 20, 1.0) for second in range(5, 7)),
    ):
        measure.add(event)
    measured = _named(measure)["throughput", ""]
    assert measured.samples == pytest.approx([640, 320, 320, 320, 640, 640])


def test_time_in_which_a_process_was_started_again_is_cut_out(plan_of: Callable[..., Plan]) -> None:
    measure = Throughput(plan_of("title: t\nworkload: {model: mlp, steps: 50}\n").arms[0])
    for event in (
        _window(1.0, "worker/0", 20, 1.0),
        Exited(1.0, "main", "worker/0", None, 9),
        _window(3.5, "worker/0", 0, 1.0),  # it warms up again
        _window(5.0, "worker/0", 20, 1.0),
        _window(6.0, "worker/0", 30, 1.0),
    ):
        measure.add(event)
    measured = _named(measure)
    assert measured["throughput", ""].samples == pytest.approx([320, 320, 320])
    assert measured["throughput", ""].note.startswith("without 3.0 s of restarts")


@pytest.mark.parametrize("before", [4094, 4095, 4096, 5001])
def test_so_it_is_where_windows_are_joined(plan_of: Callable[..., Plan], before: int) -> None:
    measure = Throughput(plan_of("title: t\nworkload: {model: mlp, steps: 50}\n").arms[0])
    for number in range(before):
        measure.add(_window(1.0 + number, "worker/0", 20, 1.0))
    measure.add(Exited(float(before), "main", "worker/0", None, 9))
    for number in range(40):
        measure.add(_window(before + 601.0 + number, "worker/0", 20, 1.0))
    found = _named(measure)["throughput", ""]
    assert found.note.startswith("without 600.0 s of restarts")
    assert min(found.samples) == pytest.approx(320)


def test_time_before_the_first_window_is_in_no_grid(plan_of: Callable[..., Plan]) -> None:
    measure = Throughput(plan_of("title: t\nworkload: {model: mlp, steps: 50}\n").arms[0])
    measure.add(Exited(2.0, "main", "worker/0", None, 9))
    measure.add(_window(31.0, "worker/0", 20, 1.0))
    assert "restarts" not in _named(measure)["throughput", ""].note


def test_it_is_not_where_others_trained_meanwhile(plan_of: Callable[..., Plan]) -> None:
    topology = "topology: {kvstore: dist_async, workers: 2}\n"
    measure = Throughput(plan_of(f"title: t\nworkload: {{model: mlp, steps: 50}}\n{topology}").arms[0])
    for event in (
        _window(1.0, "worker/0", 20, 1.0),
        _window(1.0, "worker/1", 20, 1.0),
        Exited(1.0, "main", "worker/1", None, 9),
        _window(2.0, "worker/0", 30, 1.0),
        _window(3.0, "worker/0", 40, 1.0),
        _window(3.0, "worker/1", 20, 1.0),
    ):
        measure.add(event)
    found = _named(measure)["throughput", ""]
    assert found.samples == pytest.approx([640, 320, 640])
    assert "restarts" not in found.note


def test_a_pause_between_two_windows_is_no_training(plan_of: Callable[..., Plan]) -> None:
    """A fault of steps begins while the worker waits for credit, so that a pause lies between windows."""
    measure = Throughput(plan_of("title: t\nworkload: {model: mlp, steps: 100}\n").arms[0])
    for event in (
        _window(1.0, "worker/0", 20, 1.0),
        _window(2.01, "worker/0", 30, 1.0),  # the report between them is no gap
        Injected(2.01, "main", "worker/0", 0, 40),
        Healed(6.01, "main", "worker/0", 0, None),
        _window(7.01, "worker/0", 40, 1.0),
    ):
        measure.add(event)
    measured = _named(measure)["throughput", ""]
    assert sum(measured.samples) / len(measured.samples) == pytest.approx(960 / 7.01, rel=0.01)


def test_a_turn_is_a_cell_however_short_the_time_between_turns(plan_of: Callable[..., Plan]) -> None:
    text = (
        "title: t\nturns: 10\nworkload: {model: mlp, batch_size: 32, steps: 40, warmup: 10, window: 5}\n"
        "topology: {kvstore: dist_sync, workers: 2, servers: 1}\nvariants: {main: {}, other: {}}\n"
    )
    measure = Throughput(plan_of(text).arms[0])
    for worker, late in (("worker/0", 0.0), ("worker/1", 0.5)):
        for first, t in ((0, 1.0), (5, 2.0), (10, 11.0), (15, 12.0), (20, 12.02 + 1), (25, 12.02 + 2)):
            measure.add(_window(t + late, worker, first, 1.0, steps=5))
    found = _named(measure)["throughput", ""]
    assert found.n == 2
    assert found.samples == pytest.approx((640 / 2.5, 640 / 2.5))


SCRIPT = "title: q\nworkload: {script: ./train.py, warmup: 10}\n"


@pytest.mark.parametrize(("counts", "value", "unit"), [([8] * 10, 80.0, "samples/s"), ([None] * 10, 10.0, "steps/s")])
def test_of_a_script_samples_are_as_they_were_seen_or_steps_count(
    plan_of: Callable[..., Plan], tmp_path: Path, counts: list[int | None], value: float, unit: str
) -> None:
    (tmp_path / "train.py").touch()
    measure = Throughput(plan_of(SCRIPT).arms[0])
    for first in range(0, 40, 10):
        measure.add(Samples(0.0, "main", "worker/0", first, counts, [0.0] * 10))
        measure.add(_window(1.0 + first / 10, "worker/0", first, 1.0))
    throughput = _named(measure)["throughput", ""]
    assert (throughput.value, throughput.unit) == (pytest.approx(value), unit)


def test_samples_and_steps_are_never_counted_together(tmp_path: Path, plan_of: Callable[..., Plan]) -> None:
    """Where those of one window are not known, all windows are of steps."""
    (tmp_path / "train.py").touch()
    measure = Throughput(plan_of(SCRIPT.replace("./train.py", str(tmp_path / "train.py"))).arms[0])
    for number, counts in enumerate(([8] * 10, [8] * 9 + [None], [8] * 10), 1):
        measure.add(Samples(0.0, "main", "worker/0", 10 * number, counts, [0.0] * 10))
        measure.add(_window(float(number), "worker/0", 10 * number, 1.0))
    found = _named(measure)["throughput", ""]
    assert (found.unit, found.samples) == ("steps/s", pytest.approx((10.0, 10.0, 10.0)))


@pytest.mark.parametrize(("pause", "note"), [(7.0, "most of the time is in few, long windows; see goodput"), (0.0, "")])
def test_a_job_that_pauses_within_windows_says_so(plan_of: Callable[..., Plan], pause: float, note: str) -> None:
    """As to validate after each epoch: of a worker's windows one in four, of the job's time nearly all."""
    measure, t = Throughput(plan_of().arms[0]), 0.0
    for number in range(2, 42):
        seconds = 1.0 + pause * (number % 4 == 0) * 3
        t += seconds
        for role in ("worker/0", "worker/1"):
            measure.add(_window(t, role, 10 * number, seconds))
    for role in ("worker/0", "worker/1"):
        measure.add(Done(t, "main", role, 420))
    assert _named(measure)["throughput", ""].note == note
