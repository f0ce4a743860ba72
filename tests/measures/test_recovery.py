from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from harness.measures.recovery import Recovery
from harness.planning.plan import Plan
from harness.vocabulary.events import Done, Event, Exited, Healed, Injected, Spawned, Window
from harness.vocabulary.quantities import Quantity

SINGLE = "title: q\nworkload: {model: mlp, steps: 200, warmup: 10, checkpoint: {every: 50}}\n"
PAUSE = {"pause": {"select": {"role": "worker"}, "at": {"step": 50}, "for": {"time": "3s"}}}
W = "worker/0"


@pytest.fixture
def measured(plan_of: Callable[..., Plan]) -> Callable[..., dict[str, Quantity]]:
    def measure(*events: Event, **_: Any) -> dict[str, Quantity]:
        measure = Recovery(plan_of(SINGLE, ("faults", [PAUSE])).arms[0])
        for event in events:
            measure.add(event)
        return {quantity.name: quantity for quantity in measure.quantities()}

    return measure


def _windows(t: float, first: int, count: int, seconds: float = 1.0) -> list[Window]:
    return [Window(t + seconds * (n + 1), "main", W, first + 10 * n, 10, seconds) for n in range(count)]


def test_from_the_end_of_the_fault_to_the_first_of_three_fast_windows(measured: Any) -> None:
    quantities = measured(
        *_windows(0.0, 10, 4),
        Injected(4.0, "main", W, 0, 50),
        Healed(7.0, "main", W, 0, None),
        *_windows(7.0, 50, 1, seconds=2.0),
        *_windows(9.0, 60, 3),
    )
    assert quantities["recovery_time"].value == 3.0  # the first fast window ended at 10


def test_a_window_that_began_within_the_fault_does_not_count(measured: Any) -> None:
    quantities = measured(
        *_windows(0.0, 10, 4),
        Injected(4.0, "main", W, 0, 50),
        Healed(7.0, "main", W, 0, None),
        Window(7.5, "main", W, 50, 10, 1.0),
        *_windows(7.5, 60, 3),
    )
    assert quantities["recovery_time"].value == 1.5


def test_why_there_is_no_recovery(measured: Any) -> None:
    begun = [*_windows(0.0, 10, 4), Injected(4.0, "main", W, 0, 50)]
    healed = Healed(7.0, "main", W, 0, None)
    slow = _windows(7.0, 50, 3, seconds=2.0)
    assert measured(*begun)["recovery_time"].note == "a fault was in force to the end"
    assert measured(*begun, healed, *slow)["recovery_time"].note.startswith(
        "1 of 1 times, steps were not as fast again"
    )


def test_a_restarted_worker_without_checkpoints_must_be_fast_again(measured: Any) -> None:
    quantities = measured(
        *_windows(0.0, 10, 4),
        Injected(4.0, "main", W, 0, 50),
        Exited(4.1, "main", W, None, 9),
        Spawned(5.0, "main", W, 2, 0),
        Healed(5.0, "main", W, 0, None),
        *_windows(6.0, 0, 6, seconds=5.0),
    )
    assert quantities["recovery_time"].value is None


def test_a_worker_that_is_done_holds_nobody_back(measured: Any) -> None:
    quantities = measured(
        *_windows(0.0, 10, 4),
        Injected(4.0, "main", W, 0, 50),
        Healed(7.0, "main", W, 0, None),
        Done(7.5, "main", W, 100),
        *_windows(8.0, 60, 1),
    )
    assert quantities["recovery_time"].value == 2.0


def test_how_many_faults_were_not_recovered_from_is_told(measured: Any) -> None:
    rounds = []
    for fault in range(3):  # between them, two fast windows: too few
        t = 10.0 * fault + 4.0
        rounds += [
            Injected(t, "main", W, fault, 50),
            Healed(t + 3.0, "main", W, fault, None),
            *_windows(t + 3.0, 50 + 20 * fault, 2 if fault < 2 else 3),
        ]
    recovery = measured(*_windows(0.0, 10, 4), *rounds)["recovery_time"]
    assert recovery.n == 1
    assert (
        recovery.note
        == "2 of 3 times, steps were not as fast again before the next fault or the end; too few for an interval"
    )
