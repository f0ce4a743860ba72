from __future__ import annotations

from harness.faults.exit import Exit
from harness.vocabulary.events import Exited, Failed
from harness.vocabulary.instructions import BeginInProcess
from harness.vocabulary.receipts import Evidence

FAULT = Exit.model_validate({"select": {"role": "worker", "rank": 1}, "at": {"step": 50}})
FAILED = Failed(1.0, "main", "worker/1", "AskedError: no", False)


def test_the_worker_is_told_and_nothing_heals_it() -> None:
    assert FAULT.inject("worker/1", 2) == (BeginInProcess("worker/1", 2),)
    assert (FAULT.heal("worker/1", 2), FAULT.life.duration, FAULT.life.terminates) == ((), None, True)


def test_it_is_proven_by_the_exception_whatever_mxnet_makes_of_it() -> None:
    left = Exited(1.1, "main", "worker/1", 1, None)
    assert FAULT.receipt(Evidence([FAILED, left])) == (True, "AskedError: no; ended with exit status 1")
    assert FAULT.receipt(Evidence([FAILED])) == (True, "AskedError: no; the process stayed")
    assert FAULT.receipt(Evidence([FAILED, Exited(1.1, "main", "worker/1", 0, None)]))[0] is False
    assert FAULT.receipt(Evidence([left])) == (False, "no exception ended the script")
    other = Failed(1.0, "main", "worker/1", "ValueError: no", False)
    assert FAULT.receipt(Evidence([other, left])) == (False, "the script failed with ValueError: no")
