from __future__ import annotations

import pytest
from pydantic import ValidationError

from harness.faults.scale import Scale
from tests.faults.reports import WRITTEN, committed_for, proven_by_another_hash

FAULT = Scale.model_validate({**WRITTEN, "factor": 2.0})


def test_it_is_committed_for_one_step_and_proven_by_another_hash() -> None:
    committed_for(FAULT, 1)
    proven_by_another_hash(FAULT)


@pytest.mark.parametrize("change", [{"factor": "2"}, {"factor": float("nan")}])
def test_what_makes_no_sense_is_refused(change: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        Scale.model_validate({**WRITTEN, "factor": 2.0, **change})
