from __future__ import annotations

from dataclasses import replace

import pytest

from harness.faults.slow import Slow, Throttled
from harness.vocabulary.instructions import Act, Undo
from harness.vocabulary.receipts import Evidence
from harness.vocabulary.schedule import For

WRITTEN = {"select": {"role": "worker", "rank": 1}, "at": {"step": 50}, "for": {"steps": 100}, "factor": 3}
FAULT = Slow.model_validate(WRITTEN)


def _evidence(elapsed: float, stopped: float, cycles: int, witnessed: int) -> Evidence:
    throttled = Throttled(1.0, "main", "worker/1", 0, 3.0, elapsed, stopped, cycles, witnessed, "R")
    return Evidence([throttled], (0.3, 0.3), (0.1, 0.1))


def test_what_it_asks_the_agent_to_do() -> None:
    assert FAULT.inject("worker/1", 0) == (Act("worker/1", 0, "slow", {"factor": 3.0}),)
    assert FAULT.heal("worker/1", 0) == (Undo("worker/1", 0),)
    assert FAULT.life.duration == For(steps=100)


@pytest.mark.parametrize(
    ("stopped", "cycles", "witnessed", "proven"),
    [(6.0, 300, 300, True), (6.0, 300, 151, True), (6.0, 300, 150, False), (6.0, 300, 0, False), (0.0, 1, 1, False)],
)
def test_stops_that_proc_showed_at_both_ends_prove_it(
    stopped: float, cycles: int, witnessed: int, proven: bool
) -> None:
    assert FAULT.receipt(_evidence(9.0, stopped, cycles, witnessed))[0] is proven


@pytest.mark.parametrize(
    ("factor", "elapsed", "stopped", "cycles", "fits"),
    [
        (3.0, 9.0, 6.0, 300, True),
        (3.0, 9.0, 6.17, 300, True),  # 3.18
        (3.0, 9.0, 6.2, 300, None),  # 3.21, in which two stops count 0.05
        (3.0, 9.0, 6.2, 3000, False),
        (3.0, 9.0, 5.6, 300, False),  # 2.65
        (1.1, 9.0, 6.0, 300, False),  # 3.00
        (3.0, 9.0, 7.2, 60, False),  # 5.00, in which two stops count 0.67
        (1.1, 9.0, 0.82, 300, True),
        (1.1, 9.0, 0.005, 300, False),  # 1.00
        (3.0, 0.16, 0.098, 8, None),  # 2.59, in which two stops count 1.0
    ],
)
def test_its_dose_is_what_is_beyond_one_within_ten_percent(
    factor: float, elapsed: float, stopped: float, cycles: int, fits: bool | None
) -> None:
    fault = FAULT.model_copy(update={"factor": factor})
    assert fault.dose(_evidence(elapsed, stopped, cycles, cycles))[0] is fits


def test_the_evidence_is_told_with_the_step_times() -> None:
    sentence = "stopped for 6.00 of 9.00 s; /proc showed state T in 300 of 300 stops; "
    assert FAULT.receipt(_evidence(9.0, 6.0, 300, 300)) == (True, sentence + "its steps took 3.00 times as long")
    assert FAULT.dose(_evidence(9.0, 6.0, 300, 300)) == (True, "a factor of 3.00 for 3")
    assert FAULT.receipt(Evidence((), (), ())) == (False, "no throttle was reported")


def test_it_is_undone_when_the_process_runs_at_the_end() -> None:
    throttled = Throttled(1.0, "main", "worker/1", 0, 3.0, 9.0, 6.0, 300, 300, "S")
    assert FAULT.restored(Evidence([throttled])) == (True, "/proc state S")
    assert FAULT.restored(Evidence([throttled, replace(throttled, state="T")])) == (False, "/proc state T")
    assert FAULT.restored(Evidence([replace(throttled, state="")])) == (None, "")
    assert FAULT.restored(Evidence([])) == (None, "")


def test_what_is_too_fine_to_tell_is_a_stop_at_each_end() -> None:
    """With 300 stops in 9 s that are to be 6.000 s long: 0.04 of a factor of 3."""
    told = [FAULT.dose(_evidence(9.0, stopped, 300, 300))[0] for stopped in (6.187, 6.188, 6.218, 6.22, 6.225)]
    assert told == [True, None, None, None, None]
    assert FAULT.dose(_evidence(9.0, 6.24, 300, 300))[0] is False
