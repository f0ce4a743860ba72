from __future__ import annotations

from harness.faults.restart import Restart
from harness.vocabulary.events import Event, Exited, Signalled, Spawned
from harness.vocabulary.instructions import Signal
from harness.vocabulary.receipts import Evidence

WRITTEN = {"select": {"role": "worker", "rank": 1}, "at": {"step": 50}, "after": "2s"}
FAULT = Restart.model_validate(WRITTEN)
KILLED = [
    Signalled(1.0, "main", "worker/1", 0, "KILL", "S", "Z", 0.0),
    Exited(1.1, "main", "worker/1", None, 9),
]


def _of(*events: Event) -> Evidence:
    return Evidence(events, subjects=("worker/1",))


def test_it_kills_and_says_when_to_start_again() -> None:
    assert FAULT.inject("worker/1", 0) == (Signal("worker/1", "KILL", 0),)
    assert (FAULT.life.terminates, FAULT.life.restart_after, FAULT.life.whole_job) == (True, 2.0, False)
    assert Restart.model_validate({**WRITTEN, "scope": "job"}).life.whole_job


def test_it_is_proven_by_an_end_and_its_dose_is_the_time_to_a_new_process() -> None:
    again = Spawned(3.2, "main", "worker/1", 77, 0)
    assert FAULT.receipt(_of(*KILLED, again)) == (True, "ended by signal 9; /proc shows it state Z")
    assert FAULT.dose(_of(*KILLED, again)) == (True, "started again 2.100 s later, 2 s were asked")
    assert FAULT.restored(_of(*KILLED, again)) == (True, "process 77 that of worker/1")
    assert FAULT.dose(_of(*KILLED)) == (False, "no new process was started for worker/1")
    assert FAULT.dose(_of(*KILLED, Spawned(1.5, "main", "worker/1", 77, 0)))[0] is False
    assert FAULT.dose(_of(*KILLED, Spawned(2.8, "main", "worker/1", 77, 0)))[0] is False
    assert FAULT.dose(_of(*KILLED, Spawned(3.5, "main", "worker/1", 77, 0)))[0] is None
    assert FAULT.dose(_of(*KILLED, Spawned(9.5, "main", "worker/1", 77, 0)))[0] is False
    assert FAULT.receipt(_of(again)) == (False, "no KILL was sent")
    gone = Signalled(1.0, "main", "worker/1", 0, "KILL", "", "", 0.0)
    assert FAULT.receipt(_of(gone, KILLED[1])) == (False, "the process was gone already")


def test_of_a_whole_job_every_process_must_go_and_come_back() -> None:
    fault = Restart.model_validate({**WRITTEN, "scope": "job"})
    server = [Signalled(1.0, "main", "server/0", 0, "KILL", "S", "Z", 0.0), Exited(1.1, "main", "server/0", None, 9)]
    back = [Spawned(3.2, "main", role, 77, 0) for role in ("worker/1", "server/0")]
    both = Evidence([*KILLED, *server, *back], subjects=("worker/1", "server/0"))
    assert fault.receipt(both)[0] is True
    alone = Evidence([*KILLED, *server, back[0]], subjects=("worker/1", "server/0"))
    assert fault.dose(both)[0] is True
    assert fault.receipt(alone)[0] is True
    assert fault.dose(alone) == (False, "no new process was started for server/0")
    lived = Evidence([*KILLED, server[0], *back], subjects=("worker/1", "server/0"))
    assert fault.receipt(lived) == (False, "server/0: the process did not end by signal 9")
    assert fault.restored(alone) == (False, "nothing took the place of server/0")
    assert fault.receipt(both) == (True, "2 of 2 processes: ended by signal 9; /proc shows it state Z")
    assert fault.restored(both) == (True, "process 77 that of worker/1, 77 that of server/0")
    assert fault.dose(Evidence(KILLED, subjects=("worker/1", "server/0"))) == (
        False,
        "no new process was started for worker/1, server/0",
    )
    assert fault.restored(Evidence(KILLED, subjects=("worker/1", "server/0"))) == (
        False,
        "nothing took the place of worker/1, server/0",
    )
    unkilled = Evidence([KILLED[0], server[0]], subjects=("worker/1", "server/0"))
    reason = "worker/1: the process did not end by signal 9; server/0: the process did not end by signal 9"
    assert fault.receipt(unkilled) == (False, reason)


def test_of_a_whole_job_those_that_were_gone_already_prove_nothing() -> None:
    fault = Restart.model_validate({**WRITTEN, "scope": "job"})
    gone = [Signalled(1.0, "main", role, 0, "KILL", state, "", 0.0) for role, state in (("a", "Z"), ("b", ""))]
    both = Evidence([*gone, Exited(1.1, "main", "a", None, 9)], subjects=("a", "b"))
    assert fault.receipt(both) == (False, "all processes were gone already")
    partly = Evidence([gone[1], *KILLED], subjects=("worker/1", "b"))
    assert fault.receipt(partly) == (True, "1 of 2 processes: ended by signal 9; /proc shows it state Z")


def test_the_time_to_a_new_start_counts_from_the_last_end_before_it() -> None:
    fault = Restart.model_validate({**WRITTEN, "scope": "job", "after": "10s"})
    ends = [Exited(t, "main", role, None, 9) for role, t in (("a", 1.0), ("b", 2.0))]
    starts = [Spawned(t, "main", role, 7, 0) for role, t in (("a", 12.0), ("b", 12.5))]
    later = Exited(20.0, "main", "a", 0, None)
    evidence = Evidence([*ends, *starts, later], subjects=("a", "b"))
    assert fault.dose(evidence) == (True, "started again 10.000 s later, 10 s were asked")
    slow = [Spawned(t, "main", role, 7, 0) for role, t in (("a", 13.01), ("b", 13.5))]
    assert fault.dose(Evidence([*ends, *slow], subjects=("a", "b")))[0] is False
