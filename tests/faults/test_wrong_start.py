from __future__ import annotations

import pytest
from pydantic import ValidationError

from harness.faults.wrong_start import Environment, WrongStart
from harness.vocabulary.events import Imported
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


NCCL = WrongStart.model_validate({"select": {"role": "worker", "rank": 1}, "nccl": "2.13.4"})


def _imported(**libraries: str) -> Imported:
    return Imported(1.0, "main", "worker/1", 0.7, "3.11.7", "1.9.1", "1.23.5", [], libraries)


def test_another_nccl_is_found_first_and_says_itself_that_it_was_loaded() -> None:
    assert NCCL.environment({"DMLC_ROLE": "worker"}) == {"DMLC_ROLE": "worker", "LD_LIBRARY_PATH": "{nccl 2.13.4}"}
    assert NCCL.receipt(Evidence([_imported(nccl="2.13.4")])) == (True, "it loaded NCCL 2.13.4")
    assert NCCL.receipt(Evidence([_imported(nccl="2.21.5")])) == (False, "it loaded NCCL 2.21.5")
    assert NCCL.receipt(Evidence([_imported()])) == (False, "it loaded no NCCL")
    assert NCCL.receipt(Evidence([])) == (False, "it did not come so far as to load NCCL")


def test_of_two_that_are_wrong_both_are_proven_or_none() -> None:
    both = WrongStart.model_validate({"select": {"role": "worker", "rank": 1}, "nccl": "2.13.4", "workers": 5})
    told = Environment(1.0, "main", "worker/1", 0, {"DMLC_NUM_WORKER": "5"})
    sentence = "it was started with DMLC_NUM_WORKER=5, it loaded NCCL 2.13.4"
    assert both.receipt(Evidence([told, _imported(nccl="2.13.4")])) == (True, sentence)
    assert both.receipt(Evidence([told, _imported()]))[0] is False


def test_something_must_be_wrong() -> None:
    with pytest.raises(ValidationError, match="give port, workers, servers or nccl"):
        WrongStart.model_validate({"select": {"role": "worker", "rank": 1}})
