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


def test_a_worker_that_resumed_amid_its_steps_took_no_others() -> None:
    fault = Scale.model_validate({**WRITTEN, "factor": 2.0, "for": {"steps": 4}})
    accounts = committed_in(52, 53).events
    met, never, again = (Injected(1.0, "main", "worker/1", 4, step) for step in (52, 50, 51))
    assert fault.receipt(Evidence([met, *accounts], taken=(52, 53)))[0] is True
    assert fault.receipt(Evidence([never, met, *accounts], taken=(52, 53)))[0] is True
    assert (
        fault.receipt(Evidence([never, again, *accounts], taken=(51, 52, 53)))[0] is True
    )  # nothing to act with in 51
    reason = "it was not committed in 2 steps that were taken, as in 50"
    assert fault.receipt(Evidence([never, met, *accounts], taken=(50, 51, 52, 53))) == (False, reason)


def test_the_first_of_its_steps_is_not_missed_in_the_warm_up_either() -> None:
    fault = Scale.model_validate({**WRITTEN, "factor": 2.0, "for": {"steps": 4}})
    begun = Injected(1.0, "main", "worker/1", 4, 50)
    reason = "it was committed in steps 53 to 53, not in 50 to 53"
    assert fault.receipt(Evidence([begun, *committed_in(53).events])) == (False, reason)
    middle = Evidence([begun, *committed_in(50, 53).events], taken=(50, 51, 52, 53))
    assert fault.receipt(middle) == (False, "it was not committed in 2 steps that were taken, as in 51")


@pytest.mark.parametrize("change", [{"factor": "2"}, {"factor": float("nan")}])
def test_what_makes_no_sense_is_refused(change: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        Scale.model_validate({**WRITTEN, "factor": 2.0, **change})
