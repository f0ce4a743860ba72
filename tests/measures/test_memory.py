from __future__ import annotations

from collections.abc import Callable

import pytest

from harness.measures.memory import Memory
from harness.planning.plan import Plan
from harness.vocabulary.events import Memory as MemoryEvent
from harness.vocabulary.events import Ready
from harness.vocabulary.quantities import Quantity

MB = 1_000_000


def _ready(missing: str = "") -> Ready:
    return Ready(0.0, "main", "worker/0", 70 * MB, 0, missing)


def _memory(step: int, anonymous: int, live: int | None, mapped: int = 50 * MB, peak: int = 0) -> MemoryEvent:
    resident = anonymous + mapped
    return MemoryEvent(float(step), "main", "worker/0", step, resident, peak or resident, anonymous, live, live, None)


def _measured(plan: Plan, *events: Ready | MemoryEvent) -> dict[str, Quantity]:
    measure = Memory(plan.arms[0])
    for event in events:
        measure.add(event)
    return {quantity.name: quantity for quantity in measure.quantities()}


def test_held_beyond_live_and_growth(plan_of: Callable[..., Plan]) -> None:
    windows = [_memory(step, 100 * MB + step * 1000, 10 * MB) for step in range(10, 101, 10)]
    measured = _measured(plan_of(), _ready(), *windows)
    assert measured["live_memory"].value == 10 * MB
    assert measured["held_memory"].value == 30 * MB + 65_000  # after the warm-up of 20 steps: 30 to 100
    assert measured["held_beyond_live"].value == 20 * MB + 65_000
    assert measured["held_beyond_live_fraction"].value == pytest.approx(2 / 3, abs=0.001)
    assert measured["memory_growth"].value == pytest.approx(MB)
    assert measured["memory_growth"].note == "over 70 steps only; too few for an interval, which needs 40 windows"
    assert measured["peak_memory"].value == 100 * MB + 100_000


def test_what_is_mapped_from_files_is_not_in_the_peak(plan_of: Callable[..., Plan]) -> None:
    """How much of a library is resident is up to the page cache; between windows a process may have had more."""
    for mapped in (50 * MB, 105 * MB):
        first = _memory(10, 100 * MB, None, mapped, peak=300 * MB + mapped)
        later = _memory(20, 120 * MB, None, mapped + 30 * MB, peak=300 * MB + mapped)
        assert _measured(plan_of(), _ready(), first, later)["peak_memory"].value == 300 * MB


def test_a_share_of_nothing_held_is_left_out(plan_of: Callable[..., Plan]) -> None:
    windows = [_memory(30, 70 * MB, 10 * MB), _memory(40, 90 * MB, 10 * MB)]
    measured = _measured(plan_of(), _ready(), *windows)
    assert (measured["held_beyond_live"].n, measured["held_beyond_live_fraction"].n) == (2, 1)
    assert measured["held_beyond_live_fraction"].value == 0.5


def test_missing_is_not_zero(plan_of: Callable[..., Plan]) -> None:
    measured = _measured(plan_of(), _ready("not asked for"), _memory(50, 100 * MB, None))
    assert measured["live_memory"].value is None
    assert measured["live_memory"].note == "not asked for"
    assert measured["held_beyond_live"].note == "not asked for"
    assert measured["memory_growth"].note == "needs windows after the warm-up"


def test_devices_of_one_worker_are_told_apart(plan_of: Callable[..., Plan]) -> None:
    measure = Memory(plan_of().arms[0])
    for step in range(30, 101, 10):
        devices = {"cpu/0": 3 * MB, "cpu/1": MB}
        measure.add(MemoryEvent(1.0, "main", "worker/0", step, 9 * MB, 9 * MB, 8 * MB, 4 * MB, 4 * MB, devices))
    live = {quantity.subject: quantity.value for quantity in measure.quantities() if quantity.name == "live_memory"}
    assert live == {"worker/0": 4 * MB, "worker/0 cpu/0": 3 * MB, "worker/0 cpu/1": MB}


def test_a_process_that_took_the_place_of_another_begins_anew(plan_of: Callable[..., Plan]) -> None:
    first = [_memory(step, 500 * MB, None) for step in range(30, 91, 10)]
    second = [_memory(step, 100 * MB + step * 1000, None) for step in range(30, 101, 10)]
    measured = _measured(plan_of(), _ready(), *first, _ready(), *second)
    assert measured["held_memory"].n == 8
    assert measured["memory_growth"].value == pytest.approx(MB)


def test_the_peak_of_a_process_that_was_started_again_counts_on(plan_of: Callable[..., Plan]) -> None:
    def memory(step: int, peak: int) -> MemoryEvent:
        return MemoryEvent(1.0, "main", "worker/0", step, 0, peak, 0, None, None, None)

    measured = _measured(plan_of(), _ready(), memory(10, 400 * MB), _ready(), memory(10, 200 * MB))
    assert measured["peak_memory"].value == 400 * MB
