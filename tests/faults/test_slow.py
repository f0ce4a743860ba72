from __future__ import annotations

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
    ("elapsed", "stopped", "cycles", "witnessed", "proven"),
    [
        (9.0, 6.0, 300, 300, True),
        (9.0, 6.2, 300, 300, True),  # 3.21
        (9.0, 6.3, 300, 300, False),  # 3.33
        (9.0, 5.6, 300, 300, False),  # 2.65
        (9.0, 6.0, 300, 299, True),
        (9.0, 6.0, 300, 0, False),
        (9.0, 0.0, 0, 0, False),
    ],
)
def test_it_is_proven_within_ten_percent(
    elapsed: float, stopped: float, cycles: int, witnessed: int, proven: bool
) -> None:
    assert FAULT.receipt(_evidence(elapsed, stopped, cycles, witnessed))[0] is proven


def test_the_evidence_is_told_with_the_step_times() -> None:
    said = "stopped for 6.00 of 9.00 s, a factor of 3.00; /proc showed state T in 300 of 300 stops; "
    assert FAULT.receipt(_evidence(9.0, 6.0, 300, 300)) == (True, said + "its steps took 3.00 times as long")
    assert FAULT.receipt(Evidence((), (), ())) == (False, "no throttle was reported")
