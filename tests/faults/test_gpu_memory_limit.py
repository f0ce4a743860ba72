from __future__ import annotations

from collections.abc import Callable

import pytest

from harness.base.errors import ScenarioError
from harness.faults.gpu_memory_limit import GpuHeld, GpuMemoryLimit
from harness.planning.plan import Plan
from harness.vocabulary.instructions import Act, Undo
from harness.vocabulary.receipts import Evidence

GB = 10**9
FAULT = GpuMemoryLimit.model_validate({"select": {"role": "worker"}, "at": {"step": 5}, "free": "2GB"})
BEGUN = GpuHeld(1.0, "main", "worker/0", 3, False, 78 * GB, 80 * GB, 2 * GB, True)
ENDED = GpuHeld(2.0, "main", "worker/0", 3, True, 78 * GB, GB, 79 * GB, True)


def test_what_it_asks_the_agent_to_do() -> None:
    wanted = {"free": 2 * GB, "gpu": 0}
    assert FAULT.inject("worker/0", 3) == (Act("worker/0", 3, "gpu_memory_limit", wanted),)
    assert FAULT.heal("worker/0", 3) == (Undo("worker/0", 3),)


def test_it_is_proven_by_what_cuda_says_is_free() -> None:
    seen = "78 GB were held, and 2 GB of 80 GB stayed free"
    assert FAULT.receipt(Evidence([BEGUN, ENDED])) == (True, seen)
    assert FAULT.receipt(Evidence(())) == (False, "no memory was held")


def test_where_less_was_free_than_is_to_be_left_nothing_happened() -> None:
    nothing = GpuHeld(1.0, "main", "worker/0", 3, False, 0, GB, GB, True)
    assert FAULT.receipt(Evidence([nothing]))[0] is False
    more = GpuHeld(1.0, "main", "worker/0", 3, False, GB, 80 * GB, 3 * GB, True)
    assert FAULT.receipt(Evidence([more]))[0] is False


def test_who_held_it_has_to_live_to_its_end() -> None:
    gone = GpuHeld(2.0, "main", "worker/0", 3, True, 0, 0, 0, False)
    proven, why = FAULT.receipt(Evidence([BEGUN, gone]))
    assert (proven, why) == (False, "the process that held the memory was gone before the fault ended")


def test_where_nobody_says_how_it_ended_nothing_is_proven() -> None:
    assert FAULT.receipt(Evidence([BEGUN])) == (False, "nobody says whether the memory was held to the end")


def test_it_is_free_again() -> None:
    assert FAULT.restored(Evidence([BEGUN, ENDED])) == (True, "79 GB were free afterwards")
    assert FAULT.restored(Evidence([BEGUN])) == (None, "")
    taken_at_once = GpuHeld(2.0, "main", "worker/0", 3, True, 78 * GB, GB, GB, True)
    assert FAULT.restored(Evidence([BEGUN, taken_at_once])) == (None, "")
    gone = GpuHeld(2.0, "main", "worker/0", 3, True, 0, 0, 0, False)
    assert FAULT.restored(Evidence([BEGUN, gone])) == (None, "")


def test_a_job_without_gpus_is_refused(fault_plan: Callable[..., Plan]) -> None:
    asked = {"gpu_memory_limit": {"select": {"role": "worker", "rank": 0}, "at": {"step": 5}, "free": "2GB"}}
    with pytest.raises(ScenarioError, match=r"worker/0 trains on cpu\(0\), and not on gpu\(0\)"):
        fault_plan(asked)
