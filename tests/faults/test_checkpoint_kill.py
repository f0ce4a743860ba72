from __future__ import annotations

from harness.faults.checkpoint_kill import Checkpointing, CheckpointKill
from harness.vocabulary.events import Exited, Signalled
from harness.vocabulary.instructions import BeginInProcess, Signal
from harness.vocabulary.receipts import Evidence

FAULT = CheckpointKill.model_validate({"select": {"role": "worker", "rank": 0}, "at": {"step": 50}, "after": "1s"})
HALF = Checkpointing(1.0, "main", "worker/0", 0, 50)


def test_the_worker_stands_half_way_and_is_killed_there() -> None:
    assert FAULT.inject("worker/0", 2) == (BeginInProcess("worker/0", 2),)
    assert FAULT.follow(HALF) == (Signal("worker/0", "KILL", 0),)
    assert FAULT.follow(Exited(1.0, "main", "worker/0", 0, None)) == ()
    assert (FAULT.life.terminates, FAULT.life.restart_after, FAULT.heal("worker/0", 2)) == (True, 1.0, ())


def test_it_is_proven_by_half_a_file_and_the_kernels_word() -> None:
    end = [Signalled(1.0, "main", "worker/0", 0, "KILL", "S", "Z", 0.0), Exited(1.1, "main", "worker/0", None, 9)]
    sentence = "half of the checkpoint of step 50 was written; ended by signal 9; /proc shows it state Z"
    assert FAULT.receipt(Evidence([HALF, *end])) == (True, sentence)
    proven, why = FAULT.receipt(Evidence(end))
    assert (proven, why[:31]) == (False, "no checkpoint was being written")
    assert FAULT.receipt(Evidence([HALF]))[0] is False
