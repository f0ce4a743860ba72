from __future__ import annotations

import pytest
from pydantic import ValidationError

from harness.faults.late_start import LateStart
from harness.vocabulary.events import Injected, Spawned
from harness.vocabulary.receipts import Evidence

BEGUN = Injected(1.0, "main", "worker/1", 0, None)
SELECT = {"role": "worker", "rank": 1}


def test_it_is_proven_by_when_the_process_was_started() -> None:
    late = LateStart.model_validate({"select": SELECT, "by": "2s"})
    assert (late.inject("worker/1", 0), late.life.restart_after, late.life.withholds) == ((), 2.0, True)
    assert late.receipt(Evidence([BEGUN, Spawned(3.0, "main", "worker/1", 7, None)])) == (
        True,
        "its process was started after 2.000 s",
    )
    assert late.receipt(Evidence([BEGUN, Spawned(2.85, "main", "worker/1", 7, None)]))[0] is True
    assert late.receipt(Evidence([BEGUN, Spawned(1.5, "main", "worker/1", 7, None)]))[0] is False
    assert late.receipt(Evidence([BEGUN])) == (False, "no process was started")


def test_never_is_proven_by_no_process() -> None:
    never = LateStart.model_validate({"select": SELECT})
    assert never.receipt(Evidence([BEGUN])) == (True, "no process was started")
    assert never.receipt(Evidence([BEGUN, Spawned(3.0, "main", "worker/1", 7, None)])) == (False, "it started")


def test_it_has_no_time_of_its_own() -> None:
    with pytest.raises(ValidationError, match="acts when its process starts"):
        LateStart.model_validate({"select": SELECT, "at": {"step": 3}})
