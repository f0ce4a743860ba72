from __future__ import annotations

import pytest
from pydantic import ValidationError

from harness.faults.wrong_start import Environment, WrongStart
from harness.vocabulary.instructions import Act
from harness.vocabulary.receipts import Evidence

FAULT = WrongStart.model_validate({"select": {"role": "worker", "rank": 1}, "workers": 5})


def _told(**values: str) -> Evidence:
    return Evidence([Environment(1.0, "main", "worker/1", 0, values)])


def test_only_what_the_process_is_told_anyway_changes() -> None:
    variables = {"DMLC_NUM_WORKER": "2", "DMLC_ROLE": "worker"}
    assert FAULT.environment(variables) == {"DMLC_NUM_WORKER": "5", "DMLC_ROLE": "worker"}
    assert FAULT.environment({"X": "1"}) == {"X": "1"}
    assert FAULT.inject("worker/1", 3) == (
        Act("worker/1", 3, "wrong_start", {"names": ["DMLC_NUM_WORKER", "HOROVOD_SIZE"]}),
    )


def test_it_is_proven_by_what_the_kernel_keeps() -> None:
    assert FAULT.receipt(_told(DMLC_NUM_WORKER="5")) == (True, "it was started with DMLC_NUM_WORKER=5")
    assert FAULT.receipt(_told(DMLC_NUM_WORKER="2"))[0] is False
    several = (True, "it was started with DMLC_NUM_WORKER=5, it was started with HOROVOD_SIZE=5")
    assert FAULT.receipt(_told(DMLC_NUM_WORKER="5", HOROVOD_SIZE="5")) == several
    assert FAULT.receipt(_told()) == (False, "the process has none of these variables")


def test_something_must_be_wrong() -> None:
    with pytest.raises(ValidationError, match="give port, workers or servers"):
        WrongStart.model_validate({"select": {"role": "worker", "rank": 1}})
