from __future__ import annotations

from harness.faults.drop import Drop
from tests.faults.reports import WRITTEN, committed_for, committed_in, unchanged

FAULT = Drop.model_validate(WRITTEN)


def test_it_is_proven_by_weights_that_stay() -> None:
    committed_for(FAULT, 1)
    assert FAULT.receipt(unchanged(50))[0] is True
    assert FAULT.receipt(committed_in(50)) == (False, "the weights changed in step 50")
