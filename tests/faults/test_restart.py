from __future__ import annotations

from harness.faults.restart import Restart
from harness.vocabulary.events import Exited, Signalled, Spawned
from harness.vocabulary.instructions import Signal
from harness.vocabulary.receipts import Evidence

WRITTEN = {"select": {"role": "worker", "rank": 1}, "at": {"step": 50}, "after": "2s"}
FAULT = Restart.model_validate(WRITTEN)
KILLED = [
    Signalled(1.0, "main", "worker/1", "KILL", "S", "Z", 0.0),
    Exited(1.1, "main", "worker/1", None, 9),
]


def test_it_kills_and_says_when_to_start_again() -> None:
    assert FAULT.inject("worker/1", 0) == (Signal("worker/1", "KILL"),)
    assert (FAULT.life.terminates, FAULT.life.restart_after, FAULT.life.whole_job) == (True, 2.0, False)
    assert Restart.model_validate({**WRITTEN, "scope": "job"}).life.whole_job


def test_it_is_proven_by_an_end_and_a_new_process_in_time() -> None:
    again = Spawned(3.2, "main", "worker/1", 77)
    said = "ended by signal 9; /proc shows it state Z; started again 2.100 s later"
    assert FAULT.receipt(Evidence([*KILLED, again])) == (True, said)
    assert FAULT.restored(Evidence([*KILLED, again])) == (True, "process 77 took its place")
    assert FAULT.receipt(Evidence(KILLED))[1].endswith("no new process was started")
    assert FAULT.receipt(Evidence([*KILLED, Spawned(1.5, "main", "worker/1", 77)]))[0] is False
    assert FAULT.receipt(Evidence([again])) == (False, "no KILL was sent")
