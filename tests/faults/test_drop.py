from __future__ import annotations

from harness.faults.drop import Drop
from harness.instructions import Tamper, Untamper
from tests.faults.told import tampered, unchanged

WRITTEN = {"select": {"role": "worker", "rank": 1}, "at": {"step": 50}}
FAULT = Drop.model_validate(WRITTEN)


def test_the_worker_is_told_to_commit_it_for_one_step() -> None:
    assert FAULT.inject("worker/1", 4) == (Tamper("worker/1", 4),)
    assert FAULT.heal("worker/1", 4) == (Untamper("worker/1", 4),)
    assert FAULT.duration is not None and FAULT.duration.steps == 1


def test_it_is_proven_by_weights_that_stay() -> None:
    assert FAULT.receipt(unchanged(50))[0] is True
    assert FAULT.receipt(tampered(50)) == (False, "the weights changed in step 50")
