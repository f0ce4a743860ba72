from __future__ import annotations

import pytest
from pydantic import ValidationError

from harness.faults.scale import Scale
from harness.vocabulary.receipts import Evidence
from tests.faults.reports import WRITTEN, committed_for, committed_in, proven_by_another_hash

FAULT = Scale.model_validate({**WRITTEN, "factor": 2.0})


def test_it_is_committed_for_one_step_and_proven_by_another_hash() -> None:
    committed_for(FAULT, 1)
    proven_by_another_hash(FAULT)


def test_a_worker_that_resumed_amid_its_steps_took_no_others() -> None:
    fault = Scale.model_validate({**WRITTEN, "factor": 2.0, "for": {"steps": 4}})
    accounts = committed_in(52, 53).events
    assert fault.receipt(Evidence(accounts, taken=(52, 53)))[0] is True
    told = "it was not committed in 2 steps that were taken, as in 50"
    assert fault.receipt(Evidence(accounts, taken=(50, 51, 52, 53))) == (False, told)


@pytest.mark.parametrize("change", [{"factor": "2"}, {"factor": float("nan")}])
def test_what_makes_no_sense_is_refused(change: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        Scale.model_validate({**WRITTEN, "factor": 2.0, **change})
