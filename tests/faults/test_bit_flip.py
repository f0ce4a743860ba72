from __future__ import annotations

import pytest
from pydantic import ValidationError

from harness.faults.bit_flip import BitFlip
from tests.faults.reports import WRITTEN, committed_for, proven_by_another_hash

FAULT = BitFlip.model_validate({**WRITTEN, "bit": 30})


def test_it_is_committed_for_one_step_and_proven_by_another_hash() -> None:
    committed_for(FAULT, 1)
    proven_by_another_hash(FAULT)


@pytest.mark.parametrize("change", [{"bit": 32}, {"bit": -1}, {"bit": None}])
def test_what_makes_no_sense_is_refused(change: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        BitFlip.model_validate({**WRITTEN, "bit": 30, **change})
