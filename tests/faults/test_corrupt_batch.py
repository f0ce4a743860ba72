from __future__ import annotations

import pytest
from pydantic import ValidationError

from harness.faults.corrupt_batch import CorruptBatch
from tests.faults.reports import WRITTEN, committed_for, proven_by_another_hash

FAULT = CorruptBatch.model_validate({**WRITTEN, "how": "labels"})


def test_it_is_committed_for_one_step_and_proven_by_another_hash() -> None:
    committed_for(FAULT, 1)
    proven_by_another_hash(FAULT)


@pytest.mark.parametrize("change", [{"how": "upside down"}])
def test_what_makes_no_sense_is_refused(change: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        CorruptBatch.model_validate({**WRITTEN, "how": "labels", **change})
