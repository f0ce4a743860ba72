from __future__ import annotations

from collections.abc import Callable

import pytest

from harness.base.errors import ScenarioError
from harness.faults.gpu_memory_limit import PAGE, GpuHeld, GpuMemoryLimit
from harness.planning.plan import Plan
from harness.vocabulary.instructions import Act, Undo
from harness.vocabulary.receipts import Evidence

GB = 10**9
FAULT = GpuMemoryLimit.model_validate({"select": {"role": "worker"}, "at": {"step": 5}, "free": "2GB"})
BEGUN = GpuHeld(1.0, "main", "worker/0", 3, False, 78 * GB, 80 * GB, 2 * GB - PAGE // 2, True)
ENDED = GpuHeld(2.0, "main", "worker/0", 3, True, 78 * GB, GB, 79 * GB, True)


def test_what_it_asks_the_agent_to_do() -> None:
    wanted = {"free": 2 * GB, "gpu": 0}
    assert FAULT.inject("worker/0", 3) == (Act("worker/0", 3, "gpu_memory_limit", wanted),)
    assert FAULT.heal("worker/0", 3) == (Undo("worker/0", 3),)


def test_it_is_proven_by_what_cuda_says_is_free() -> None:
    assert FAULT.receipt(Evidence([BEGUN, ENDED])) == (True, "2 GB of 80 GB stayed free")
    assert FAULT.receipt(Evidence(())) == (False, "no memory was held")


def test_memory_that_somebody_gave_back_or_took_meanwhile_is_another_limit() -> None:
    for after in (2 * GB + 1, 2 * GB - PAGE - 1):
        other = GpuHeld(1.0, "main", "worker/0", 3, False, 78 * GB, 80 * GB, after, True)
        assert FAULT.receipt(Evidence([other]))[0] is False


def test_who_held_it_has_to_live_to_its_end() -> None:
    gone = GpuHeld(2.0, "main", "worker/0", 3, True, 0, 0, 0, False)
    proven, why = FAULT.receipt(Evidence([BEGUN, gone]))
    assert (proven, why) == (False, "the process that held the memory was gone before the fault ended")


def test_it_is_free_again() -> None:
    assert FAULT.restored(Evidence([BEGUN, ENDED])) == (True, "79 GB were free afterwards")
    assert FAULT.restored(Evidence([BEGUN])) == (None, "")
    kept = GpuHeld(2.0, "main", "worker/0", 3, True, 78 * GB, GB, GB, True)
    assert FAULT.restored(Evidence([BEGUN, kept]))[0] is False


def test_a_job_without_gpus_is_refused(fault_plan: Callable[..., Plan]) -> None:
    asked = {"gpu_memory_limit": {"select": {"role": "worker", "rank": 0}, "at": {"step": 5}, "free": "2GB"}}
    with pytest.raises(ScenarioError, match=r"there is no GPU in topology.contexts"):
        fault_plan(asked)
