from __future__ import annotations

import pytest
from pydantic import ValidationError

from harness.faults.nan import Nan
from harness.instructions import Tamper, Untamper
from tests.faults.told import tampered, unchanged

WRITTEN = {"select": {"role": "worker", "rank": 1}, "at": {"step": 50}}
FAULT = Nan.model_validate(WRITTEN)


def test_the_worker_is_told_to_commit_it_for_one_step() -> None:
    assert FAULT.inject("worker/1", 4) == (Tamper("worker/1", 4),)
    assert FAULT.heal("worker/1", 4) == (Untamper("worker/1", 4),)
    assert FAULT.duration is not None and FAULT.duration.steps == 1


def test_it_is_proven_by_another_hash_in_that_step() -> None:
    said = "step 50: gradient of w: so, SHA-256 aaaaaaaa became bbbbbbbb"
    assert FAULT.receipt(tampered(50)) == (True, said)
    assert FAULT.receipt(unchanged(50)) == (False, "gradient of w of step 50 is unchanged")
    assert FAULT.receipt(tampered(51))[0] is False
    assert FAULT.receipt(tampered(50, 51))[0] is False
    assert FAULT.receipt(tampered()) == (False, "the worker reported no tampering")


@pytest.mark.parametrize(
    "change", [{"element": -1}, {"at": {"time": "1s"}}, {"for": {"time": "1s"}}, {"select": {"role": "server"}}]
)
def test_what_makes_no_sense_is_refused(change: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        Nan.model_validate({**WRITTEN, **change})
