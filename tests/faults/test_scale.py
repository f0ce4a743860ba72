from __future__ import annotations

import pytest
from pydantic import ValidationError

from harness.faults.scale import Scale
from harness.vocabulary.events import Injected
from harness.vocabulary.receipts import Evidence
from tests.faults.reports import WRITTEN, committed_for, committed_in, proven_by_another_hash

FAULT = Scale.model_validate({**WRITTEN, "factor": 2.0})


def test_it_is_committed_for_one_step_and_proven_by_another_hash() -> None:
    committed_for(FAULT, 1)
    proven_by_another_hash(FAULT)


def test_a_worker_that_resumed_amid_its_steps_had_no_others() -> None:
    fault = Scale.model_validate({**WRITTEN, "factor": 2.0, "for": {"steps": 4}})
    accounts = committed_in(52, 53).events
    begun = [Injected(1.0, "main", "worker/1", 4, step) for step in (52, 50)]
    assert fault.receipt(Evidence([begun[0], *accounts]))[0] is True
    assert fault.receipt(Evidence([begun[1], *accounts]))[0] is False


@pytest.mark.parametrize("change", [{"factor": "2"}, {"factor": float("nan")}])
def test_what_makes_no_sense_is_refused(change: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        Scale.model_validate({**WRITTEN, "factor": 2.0, **change})
