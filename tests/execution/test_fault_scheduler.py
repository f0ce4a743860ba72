"""Which faults begin and end now, seen through the conductor whose part the scheduler is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from harness.topologies import NODE_PORT
from harness.vocabulary import events
from harness.vocabulary.events import Ended, Healed, Injected, Superseded
from harness.vocabulary.instructions import Act, BeginInProcess, Credit, EndInProcess, Shutdown, Signal, Spawn, Undo
from tests.play import ALL, ARM, S0, SCHEDULER, W0, W1, Play, kill, pause, slow


def test_all_workers_stop_where_a_fault_begins_and_ends(play: Callable[..., Play]) -> None:
    job = play(slow(30, 20))
    assert job.come_up()[1:] == [Credit(W0, 30), Credit(W1, 30)]
    assert job.on(events.Waiting, W0, 30) == [Credit(W0, 50)]
    assert job.on(events.Waiting, W1, 30, t=2.0) == [
        Injected(2.0, ARM, W1, 0, 30),
        Act(W1, 0, "slow", {"factor": 3.0}),
        Credit(W1, 50),
    ]
    assert job.on(events.Waiting, W1, 50, t=4.0) == [Undo(W1, 0), Healed(4.0, ARM, W1, 0, 50), Credit(W1, None)]


def test_a_fault_on_a_server_is_triggered_by_the_steps_of_worker_0(play: Callable[..., Play]) -> None:
    job = play(slow(30, 20, role="server"))
    job.come_up()
    assert job.on(events.Waiting, W1, 30) == [Credit(W1, 50)]
    assert job.on(events.Waiting, W0, 30) == [
        Injected(1.0, ARM, S0, 0, 30),
        Act(S0, 0, "slow", {"factor": 3.0}),
        Credit(W0, 50),
    ]


def test_a_fault_by_time_counts_from_the_first_step_and_ends_by_time(play: Callable[..., Play]) -> None:
    job = play(pause("3s", time="2s"))
    job.come_up(t=10.0)
    assert job.conductor.deadline() == 12.0
    assert job.conductor.tick(11.9) == []
    assert job.conductor.tick(12.0) == [Injected(12.0, ARM, W1, 0, None), Signal(W1, "STOP", 0)]
    assert job.conductor.deadline() == 15.0
    assert job.conductor.tick(15.0) == [Signal(W1, "CONT", 0), Healed(15.0, ARM, W1, 0, None)]


def test_every_way_out_heals(play: Callable[..., Play]) -> None:
    job = play(slow(0, 50))
    job.come_up()
    healed = [Undo(W1, 0), Healed(3.0, ARM, W1, 0, None)]
    actions = job.conductor.stop(3.0, "interrupted", "SIGINT")
    assert actions == [*healed, Ended(3.0, ARM, "", "interrupted", "SIGINT"), Shutdown("", 1.0)]
    assert job.conductor.stop(4.0, "interrupted", "SIGINT") == []


def test_a_fault_that_lasts_to_the_end_is_healed_when_its_worker_is_done(play: Callable[..., Play]) -> None:
    fault = {"slow": {"select": {"role": "worker", "rank": 1}, "at": {"step": 50}, "factor": 3}}
    job = play(fault)
    job.come_up()
    job.on(events.Waiting, W1, 50)
    assert job.on(events.Done, W1, 100, t=7.0) == [Undo(W1, 0), Healed(7.0, ARM, W1, 0, 100)]


def test_a_timed_fault_is_left_to_the_clock_when_its_worker_is_done(play: Callable[..., Play]) -> None:
    fault = {"pause": {"select": {"role": "scheduler"}, "at": {"step": 50}, "for": {"time": "20s"}}}
    job = play(fault)
    job.come_up()
    job.on(events.Waiting, W0, 50, t=2.0)
    assert job.on(events.Done, W0, 100, t=3.0) == []
    assert job.conductor.deadline() == 22.0


def test_whoever_ends_it_everything_is_healed_and_that_is_in_the_history(play: Callable[..., Play]) -> None:
    job = play(slow(30, 20), {"memory_limit": {"select": {"role": "server"}, "at": {"step": 30}, "limit": "1GB"}})
    job.come_up()
    job.on(events.Waiting, W1, 30)
    job.on(events.Waiting, W0, 30)
    actions = job.conductor.stop(3.0, "interrupted", "SIGINT")
    assert actions[:4] == [
        Undo(W1, 0),
        Healed(3.0, ARM, W1, 0, None),
        Undo(S0, 1),
        Healed(3.0, ARM, S0, 1, None),
    ]


def restart(after: str = "2s", scope: str = "process") -> dict[str, Any]:
    select = {"role": "worker", "rank": 1}
    return {"restart": {"select": select, "at": {"step": 30}, "after": after, "scope": scope}}


def test_a_restarted_process_is_started_again_some_time_after_its_end(play: Callable[..., Play]) -> None:
    job = play(restart())
    job.come_up()
    assert job.on(events.Waiting, W1, 30)[:2] == [Injected(1.0, ARM, W1, 0, 30), Signal(W1, "KILL", 0)]
    assert job.leave(W1, status=None, signal=9, t=1.5) == []
    assert job.conductor.deadline() == 3.5
    spawn, healed = job.conductor.tick(3.5)
    assert (spawn.subject, healed) == (W1, Healed(3.5, ARM, W1, 0, None))
    assert NODE_PORT not in spawn.env  # at the port of the dead, ps-lite would take it for that
    job.on(events.Spawned, W1, 2, None, t=3.6)
    job.imports(W1, t=3.9)
    assert job.on(events.Waiting, W1, 0, t=4.0) == [Credit(W1, 30)]
    (ended, _) = job.leave(W1, status=1, t=5.0)
    assert ended.outcome == "crashed"


def test_a_restarted_job_starts_again_when_all_are_gone(play: Callable[..., Play]) -> None:
    job = play(restart(scope="job"))
    job.come_up()
    actions = job.on(events.Waiting, W1, 30)
    assert actions[1:5] == [Signal(role, "KILL", 0) for role in ALL]
    assert job.leave(*ALL[:3], status=None, signal=9, t=1.5) == []
    assert job.leave(W1, status=None, signal=9, t=1.6) == []
    spawns = job.conductor.tick(3.6)[:4]
    assert [action.subject for action in spawns] == list(ALL)
    assert [NODE_PORT in action.env for action in spawns] == [False, True, True, True]  # a job of its own, ranked anew


def test_a_late_process_is_started_when_its_time_has_come(play: Callable[..., Play]) -> None:
    job = play({"late_start": {"select": {"role": "server"}, "by": "5s"}})
    actions = job.conductor.begin()
    assert [type(action) for action in actions] == [Spawn, Injected, Spawn, Spawn]
    assert job.conductor.deadline() == 5.0
    assert [action.subject for action in job.conductor.tick(5.0)] == [S0, S0]


def test_a_process_is_told_the_wrong_thing_and_that_is_looked_at(play: Callable[..., Play]) -> None:
    job = play({"wrong_start": {"select": {"role": "server"}, "workers": 7}})
    actions = job.conductor.begin()
    assert actions[2:4] == [
        Injected(0.0, ARM, S0, 0, None),
        Act(S0, 0, "wrong_start", {"names": ["DMLC_NUM_WORKER", "HOROVOD_SIZE"]}),
    ]


def test_a_fault_waits_for_an_event_of_a_role(play: Callable[..., Play]) -> None:
    job = play({"kill": {"select": {"role": "server"}, "at": {"event": "done", "of": "worker/0"}}})
    job.come_up()
    job.on(events.Done, W1, 100)
    actions = job.on(events.Done, W0, 100, t=2.0)
    assert actions == [Injected(2.0, ARM, S0, 0, None), Signal(S0, "KILL", 0)]


def test_a_worker_commits_its_fault_before_it_goes_on(play: Callable[..., Play]) -> None:
    job = play({"nan": {"select": {"role": "worker", "rank": 1}, "at": {"step": 30}}})
    job.come_up()
    assert job.on(events.Waiting, W1, 30) == [Injected(1.0, ARM, W1, 0, 30), BeginInProcess(W1, 0), Credit(W1, 31)]
    assert job.on(events.Waiting, W1, 31)[:2] == [EndInProcess(W1, 0), Healed(1.0, ARM, W1, 0, 31)]


def test_a_process_that_is_gone_already_is_started_again_with_the_job(play: Callable[..., Play]) -> None:
    again = {"select": {"role": "worker", "rank": 0}, "at": {"event": "exited", "of": "worker/1"}, "scope": "job"}
    job = play(kill(step=30), {"restart": {**again, "after": "1s"}})
    job.come_up()
    job.on(events.Waiting, W1, 30)
    actions = job.leave(W1, status=None, signal=9, t=2.0)
    assert actions[1:5] == [Signal(role, "KILL", 1) for role in ALL]
    assert job.leave(SCHEDULER, S0, W0, status=None, signal=9, t=2.5) == []
    assert [action.subject for action in job.conductor.tick(3.5)[:4]] == list(ALL)


def _until_restarted(job: Play) -> None:
    """Step 20, then the restart of worker/1 at step 30, up to the instruction to start it again."""
    job.come_up()
    job.on(events.Waiting, W1, 20)
    job.on(events.Waiting, W1, 30)
    job.leave(W1, status=None, signal=9, t=1.5)
    job.conductor.tick(3.5)


def test_what_a_time_ends_holds_for_the_new_process_too(play: Callable[..., Play]) -> None:
    hog = {"cpu_hog": {"select": {"role": "worker", "rank": 1}, "at": {"step": 20}, "for": {"time": "60s"}}}
    job = play(hog, restart())
    _until_restarted(job)
    assert job.on(events.Spawned, W1, 2, 1, t=3.6) == [Act(W1, 0, "cpu_hog", {"processes": None})]


def test_what_steps_end_begins_at_its_own_steps_on_the_new_process(play: Callable[..., Play]) -> None:
    nan = {"nan": {"select": {"role": "worker", "rank": 1}, "at": {"step": 20}, "for": {"steps": 60}}}
    job = play(nan, restart())
    job.come_up()
    job.on(events.Waiting, W1, 20)
    job.on(events.Waiting, W1, 30)
    assert job.leave(W1, status=None, signal=9, t=1.5) == [EndInProcess(W1, 0), Healed(1.5, ARM, W1, 0, None)]
    job.conductor.tick(3.5)
    assert job.on(events.Spawned, W1, 2, 1, t=3.6) == []
    assert job.on(events.Waiting, W1, 0, t=4.0) == [Credit(W1, 20)]
    assert job.on(events.Waiting, W1, 20, t=5.0)[:2] == [Injected(5.0, ARM, W1, 0, 20), BeginInProcess(W1, 0)]
    assert job.on(events.Waiting, W1, 80, t=6.0)[:2] == [EndInProcess(W1, 0), Healed(6.0, ARM, W1, 0, 80)]


def test_what_is_over_by_the_time_of_the_new_process_does_not_begin_again(play: Callable[..., Play]) -> None:
    nan = {"nan": {"select": {"role": "worker", "rank": 1}, "at": {"step": 20}, "for": {"steps": 60}}}
    job = play(nan, restart())
    _until_restarted(job)
    job.on(events.Spawned, W1, 2, 1, t=3.6)
    assert job.on(events.Waiting, W1, 90, t=4.0) == [Credit(W1, None)]


def test_of_two_restarts_that_overlap_a_role_is_started_once(play: Callable[..., Play]) -> None:
    select = {"select": {"role": "worker", "rank": 0}}
    again = {"restart": {**select, "at": {"time": "1s"}, "after": "2s", "scope": "job"}}
    job = play({"restart": {"select": {"role": "worker", "rank": 1}, "at": {"time": "0.5s"}, "after": "2s"}}, again)
    job.come_up(t=10.0)
    job.conductor.tick(10.5)
    job.leave(W1, status=None, signal=9, t=10.6)
    actions = job.conductor.tick(11.0)
    assert actions[0] == Superseded(11.0, ARM, W1, 0, 1, "restart of worker/0 took its place")
    job.leave(SCHEDULER, S0, W0, status=None, signal=9, t=11.1)
    assert job.conductor.tick(12.6) == []
    assert [action.subject for action in job.conductor.tick(13.2) if isinstance(action, Spawn)] == list(ALL)


def test_a_restart_of_the_job_amid_one_of_the_job_is_superseded(play: Callable[..., Play]) -> None:
    whole = {"after": "2s", "scope": "job"}
    first = {"restart": {"select": {"role": "worker", "rank": 1}, "at": {"time": "0.5s"}, **whole}}
    job = play(first, {"restart": {"select": {"role": "worker", "rank": 0}, "at": {"time": "1s"}, **whole}})
    job.come_up(t=10.0)
    job.conductor.tick(10.5)
    job.leave(*ALL, status=None, signal=9, t=10.6)
    superseding = Superseded(11.0, ARM, W0, 1, 0, "worker/0 was about to be started again")
    assert job.conductor.tick(11.0) == [superseding]
    assert [action.subject for action in job.conductor.tick(12.6) if isinstance(action, Spawn)] == list(ALL)


def test_a_kill_of_what_is_about_to_be_started_again_is_superseded(play: Callable[..., Play]) -> None:
    job = play(restart(), {"kill": {"select": {"role": "worker", "rank": 1}, "at": {"time": "1s"}}})
    job.come_up(t=10.0)
    job.on(events.Waiting, W1, 30, t=10.5)
    superseding = Superseded(11.0, ARM, W1, 1, 0, "worker/1 was about to be started again")
    assert job.conductor.tick(11.0) == [superseding]


def test_what_a_kill_ends_for_good_says_which(play: Callable[..., Play]) -> None:
    job = play(slow(20, 60), {"kill": {"select": {"role": "worker", "rank": 1}, "at": {"step": 40}}})
    job.come_up()
    job.on(events.Waiting, W1, 20, t=2.0)
    job.on(events.Waiting, W1, 40, t=3.0)
    assert job.leave(W1, status=None, signal=9, t=3.1) == [
        Superseded(3.1, ARM, W1, 0, 1, "worker/1 was gone"),
        Undo(W1, 0),
        Healed(3.1, ARM, W1, 0, None),
    ]


def test_a_slowdown_of_a_process_that_stood_still_is_superseded(play: Callable[..., Play]) -> None:
    select = {"role": "worker", "rank": 1}
    slow_down = {"slow": {"select": select, "at": {"time": "1s"}, "for": {"time": "1s"}, "factor": 3}}
    job = play({"pause": {"select": select, "at": {"time": "0.5s"}, "for": {"time": "5s"}}}, slow_down)
    job.come_up(t=10.0)
    job.conductor.tick(10.5)
    job.conductor.tick(11.0)
    assert job.conductor.tick(12.0) == [
        Undo(W1, 1),
        Healed(12.0, ARM, W1, 1, None),
        Superseded(12.0, ARM, W1, 1, 0, "worker/1 stood still"),
    ]


def test_a_slowdown_that_began_before_the_pause_had_time_of_its_own(play: Callable[..., Play]) -> None:
    select = {"role": "worker", "rank": 1}
    slow_down = {"slow": {"select": select, "at": {"time": "0.5s"}, "for": {"time": "1s"}, "factor": 3}}
    job = play({"pause": {"select": select, "at": {"time": "1s"}, "for": {"time": "5s"}}}, slow_down)
    job.come_up(t=10.0)
    job.conductor.tick(10.5)
    job.conductor.tick(11.0)
    assert job.conductor.tick(11.5) == [Undo(W1, 1), Healed(11.5, ARM, W1, 1, None)]


def test_of_two_limits_on_one_process_the_later_one_takes_over(play: Callable[..., Play]) -> None:
    select = {"role": "worker", "rank": 1}
    first = {"memory_limit": {"select": select, "at": {"step": 30}, "for": {"time": "800ms"}, "limit": "8GB"}}
    job = play(first, {"memory_limit": {"select": select, "at": {"time": "600ms"}, "limit": "300MB"}})
    job.come_up()
    job.on(events.Waiting, W1, 30, t=1.2)
    assert job.conductor.tick(1.6) == [
        Superseded(1.6, ARM, W1, 0, 1, "memory_limit of worker/1 took its place"),
        Undo(W1, 0),
        Healed(1.6, ARM, W1, 0, None),
        Injected(1.6, ARM, W1, 1, None),
        Act(W1, 1, "memory_limit", {"bytes": 300000000}),
    ]
    assert job.conductor.tick(3.0) == []


def test_the_steps_of_another_count_when_the_clock_has_left(play: Callable[..., Play]) -> None:
    job = play({"kill": {"select": {"role": "worker", "rank": 0}, "at": {"step": 20}}}, slow(30, 20, role="server"))
    job.come_up()
    job.on(events.Waiting, W0, 20)
    job.leave(W0, status=None, signal=9, t=1.5)
    assert job.on(events.Waiting, W1, 30, t=2.0)[0] == Injected(2.0, ARM, S0, 1, 30)


def test_a_fault_of_a_dead_process_is_superseded(play: Callable[..., Play]) -> None:
    hog = {"cpu_hog": {"select": {"role": "worker", "rank": 1}, "at": {"time": "5s"}, "for": {"time": "1s"}}}
    job = play(kill(step=20), hog)
    job.come_up(t=1.0)
    job.on(events.Waiting, W1, 20)
    job.leave(W1, status=None, signal=9, t=1.5)
    assert job.conductor.tick(6.0) == [Superseded(6.0, ARM, W1, 1, 0, "worker/1 was gone")]


def test_what_could_not_begin_in_a_hung_job_is_superseded(play: Callable[..., Play]) -> None:
    job = play(kill(step=20), slow(50, 10, role="server"))
    job.come_up(t=1.0)
    job.on(events.Waiting, W1, 20)
    job.leave(W1, status=None, signal=9, t=1.5)
    job.conductor.tick(31.5)
    actions = [job.on(events.Stack, role, "text", [], t=33.0) for role in (SCHEDULER, S0, W0)][-1]
    assert actions[0] == Superseded(33.0, ARM, S0, 1, 0, "the job was hung after it")


def test_a_pause_lasts_from_when_the_process_stood_still_and_moves_no_other_end(play: Callable[..., Play]) -> None:
    hog = {"cpu_hog": {"select": {"role": "worker", "rank": 1}, "at": {"time": "1s"}, "for": {"time": "5s"}}}
    job = play(hog, pause("3s", time="1s"))
    job.come_up(t=10.0)
    job.conductor.tick(11.0)
    job.on(events.Signalled, W1, 1, "STOP", "R", "T", 0.1, t=11.5)
    assert sorted(job.conductor._scheduler.healing) == [14.5, 16.0]


def test_a_paused_process_that_leaves_by_itself_is_looked_at(play: Callable[..., Play]) -> None:
    """It was about to leave when it was stopped: the agent tells that it is gone, and nobody knows for how long."""
    job = play(pause("60s", time="1s"))
    job.come_up(t=10.0)
    job.conductor.tick(11.0)
    job.on(events.Done, W1, 100, t=11.1)
    assert job.leave(W1, t=11.2) == [Signal(W1, "CONT", 0), Healed(11.2, ARM, W1, 0, None)]


def test_a_pause_that_another_fault_cut_short_is_superseded(play: Callable[..., Play]) -> None:
    job = play(kill(time="2s"), pause("60s", time="1s"))
    job.come_up(t=10.0)
    job.conductor.tick(11.0)
    job.conductor.tick(12.0)
    assert job.leave(W1, status=None, signal=9, t=12.1) == [
        Superseded(12.1, ARM, W1, 1, 0, "worker/1 was gone"),
        Healed(12.1, ARM, W1, 1, None),
    ]


@pytest.mark.parametrize(("gone_at", "superseded"), [(1.05, True), (1.15, False)])
def test_what_its_process_left_no_time_to_act_is_superseded(
    play: Callable[..., Play], gone_at: float, superseded: bool
) -> None:
    """It ends by its time while the process is away."""
    job = play(_lasting("1s"), restart())
    job.come_up()
    job.on(events.Waiting, W1, 30)
    assert job.leave(W1, status=None, signal=9, t=gone_at) == []
    superseding = [Superseded(2.0, ARM, W1, 0, 1, "worker/1 was gone")] if superseded else []
    assert job.conductor.tick(2.0) == [Undo(W1, 0), Healed(2.0, ARM, W1, 0, None), *superseding]


def test_what_lasts_holds_for_the_new_process_however_soon_the_first_one_was_gone(play: Callable[..., Play]) -> None:
    job = play(_lasting("60s"), restart())
    job.come_up()
    job.on(events.Waiting, W1, 30)
    job.leave(W1, status=None, signal=9, t=1.01)
    job.conductor.tick(3.01)
    assert job.on(events.Spawned, W1, 2, 1, t=3.1) == [Act(W1, 0, "slow", {"factor": 3.0})]
    assert job.conductor.tick(61.0)[:2] == [Undo(W1, 0), Healed(61.0, ARM, W1, 0, None)]


def test_a_time_in_force_that_was_long_enough_is_not_excused_by_one_that_was_not(play: Callable[..., Play]) -> None:
    """In force from 1.0 to 2.0 s without a report, begun again, cut short, and then skipped."""
    again = {"restart": {"select": {"role": "worker", "rank": 1}, "at": {"time": "4.01s"}, "after": "1s"}}
    job = play(slow(20, 30), restart(), again)
    job.come_up()
    job.on(events.Waiting, W1, 20)
    job.on(events.Waiting, W1, 30)
    job.leave(W1, status=None, signal=9, t=2.0)
    job.conductor.tick(4.0)
    job.on(events.Spawned, W1, 2, 1, t=4.1)
    job.on(events.Waiting, W1, 40, t=5.0)
    job.conductor.tick(5.01)
    assert job.leave(W1, status=None, signal=9, t=5.05)[:2] == [Undo(W1, 0), Healed(5.05, ARM, W1, 0, None)]
    job.conductor.tick(6.1)
    job.on(events.Spawned, W1, 3, 2, t=6.2)
    assert job.on(events.Waiting, W1, 90, t=7.0) == [Credit(W1, None)]


def test_what_ends_with_its_clock_within_a_moment_is_superseded(play: Callable[..., Play]) -> None:
    """worker/0 counts for a fault on the server, and is ended as soon as that has begun."""
    clock = {"restart": {"select": {"role": "worker", "rank": 0}, "at": {"step": 30}, "after": "1s"}}
    job = play(slow(30, 20, role="server"), clock)
    job.come_up()
    job.on(events.Waiting, W0, 30)
    assert job.leave(W0, status=None, signal=9, t=1.05) == [Undo(S0, 0), Healed(1.05, ARM, S0, 0, None)]
    job.conductor.tick(2.05)
    job.on(events.Spawned, W0, 2, 1, t=2.1)
    superseding = Superseded(3.0, ARM, S0, 0, 1, "worker/0 went on beyond its steps")
    assert job.on(events.Waiting, W0, 60, t=3.0) == [superseding, Credit(W0, None)]


def _lasting(seconds: str) -> dict[str, Any]:
    select = {"role": "worker", "rank": 1}
    return {"slow": {"select": select, "at": {"step": 30}, "for": {"time": seconds}, "factor": 3}}


NAN = {"nan": {"select": {"role": "worker", "rank": 1}, "at": {"step": 50}, "for": {"steps": 2}}}


def _restarted_beyond(job: Play, step: int, t: float = 4.0) -> list[Any]:
    """What is done when worker/1, restarted at step 30, goes on from a later one."""
    job.come_up()
    job.on(events.Waiting, W1, 30)
    job.leave(W1, status=None, signal=9, t=1.5)
    job.conductor.tick(3.5)
    job.on(events.Spawned, W1, 2, 1, t=3.6)
    return job.on(events.Waiting, W1, step, t=t)


def test_a_fault_whose_steps_a_restarted_process_skipped_is_superseded(play: Callable[..., Play]) -> None:
    job = play(NAN, restart())
    superseding = Superseded(4.0, ARM, W1, 0, 1, "worker/1 went on beyond its steps")
    assert _restarted_beyond(job, 60) == [superseding, Credit(W1, None)]
    assert job.on(events.Waiting, W1, 50, t=5.0) == [Credit(W1, 52)]


def test_the_last_restart_is_named_for_steps_that_were_skipped(play: Callable[..., Play]) -> None:
    later = {"restart": {"select": {"role": "worker", "rank": 1}, "at": {"step": 40}, "after": "1s"}}
    job = play(later, NAN, restart())
    assert _restarted_beyond(job, 40)[0] == Injected(4.0, ARM, W1, 0, 40)
    job.leave(W1, status=None, signal=9, t=4.5)
    job.conductor.tick(5.5)
    job.on(events.Spawned, W1, 3, 0, t=5.6)
    assert job.on(events.Waiting, W1, 60, t=6.0)[0].by == 0


def test_steps_that_nobody_skipped_are_unproven_without_a_word(play: Callable[..., Play]) -> None:
    other = {"restart": {"select": {"role": "server"}, "at": {"step": 30}, "after": "1s"}}
    job = play(NAN, other)
    job.come_up()
    assert job.on(events.Waiting, W1, 60) == [Credit(W1, None)]


def test_a_fault_that_was_in_force_before_the_restart_is_over_beyond_its_steps(play: Callable[..., Play]) -> None:
    lasting = {"nan": {"select": {"role": "worker", "rank": 1}, "at": {"step": 20}, "for": {"steps": 25}}}
    job = play(lasting, restart())
    job.come_up()
    job.on(events.Waiting, W1, 20)
    assert _restarted_beyond(job, 60) == [Credit(W1, None)]
    assert job.on(events.Waiting, W1, 30, t=5.0) == [Credit(W1, 45)]


TOGETHER = {"nan": {"select": {"role": "worker", "rank": 1}, "at": {"step": 30}, "for": {"steps": 5}}}


def _cut_at_once(job: Play) -> None:
    """Fault and restart begin at one step; 50 ms later the process is gone, and then there is another."""
    job.come_up()
    job.on(events.Waiting, W1, 30)
    job.leave(W1, status=None, signal=9, t=1.05)
    job.conductor.tick(3.05)
    job.on(events.Spawned, W1, 2, 1, t=3.6)


def test_what_was_cut_short_within_a_moment_and_skipped_then_is_superseded(play: Callable[..., Play]) -> None:
    job = play(TOGETHER, restart())
    _cut_at_once(job)
    superseding = Superseded(4.0, ARM, W1, 0, 1, "worker/1 went on beyond its steps")
    assert job.on(events.Waiting, W1, 60, t=4.0) == [superseding, Credit(W1, None)]


def test_what_was_cut_short_within_a_moment_and_never_went_on_is_superseded(play: Callable[..., Play]) -> None:
    job = play(TOGETHER, restart())
    _cut_at_once(job)
    job.imports(W1, t=3.9)
    (superseding, ended, _) = job.leave(W1, status=1, t=5.0)
    assert (superseding, ended.outcome) == (Superseded(5.0, ARM, W1, 0, 1, "worker/1 was gone"), "crashed")


def test_a_fault_of_a_process_that_left_by_itself_is_over(play: Callable[..., Play]) -> None:
    hog = {"cpu_hog": {"select": {"role": "worker", "rank": 1}, "at": {"time": "5s"}, "for": {"time": "1s"}}}
    job = play(hog)
    job.come_up(t=1.0)
    job.on(events.Done, W1, 100, t=2.0)
    job.leave(W1, t=2.1)
    assert job.conductor.tick(6.0) == []
    assert job.conductor._scheduler.moments(1.0) is not None
    assert list(job.conductor._scheduler.moments(1.0)) == []


def test_a_server_comes_back_into_the_steps_of_a_fault_on_it(play: Callable[..., Play]) -> None:
    """A fault of steps on another clock goes on with the new process where that clock stands."""
    again = {"restart": {"select": {"role": "server"}, "at": {"step": 40}, "after": "1s"}}
    job = play(slow(30, 20, role="server"), again)
    job.come_up()
    job.on(events.Waiting, W0, 30)
    job.on(events.Waiting, W0, 40, t=2.0)
    assert job.leave(S0, status=None, signal=9, t=2.5) == [Undo(S0, 0), Healed(2.5, ARM, S0, 0, None)]
    job.conductor.tick(3.5)
    assert job.on(events.Spawned, S0, 2, 1, t=3.6) == [
        Injected(3.6, ARM, S0, 0, 40),
        Act(S0, 0, "slow", {"factor": 3.0}),
    ]


def test_a_server_that_comes_back_beyond_the_steps_of_a_fault_on_it_is_left_alone(play: Callable[..., Play]) -> None:
    again = {"restart": {"select": {"role": "server"}, "at": {"step": 40}, "after": "1s"}}
    job = play(slow(30, 20, role="server"), again)
    job.come_up()
    job.on(events.Waiting, W0, 30)
    job.on(events.Waiting, W0, 40, t=2.0)
    job.leave(S0, status=None, signal=9, t=2.5)
    job.conductor.tick(3.5)
    job.on(events.Waiting, W0, 50, t=3.55)
    assert job.on(events.Spawned, S0, 2, 1, t=3.6) == []


def _until_the_server_is_gone(job: Play) -> None:
    """It is to be started again at 3.5 s; only worker/1 of `dist_async` would go on without it."""
    job.come_up()
    _until_the_server_is_gone_again(job)


SERVER_AGAIN = {"restart": {"select": {"role": "server"}, "at": {"step": 40}, "after": "1s"}}


def test_a_fault_of_steps_on_a_server_that_is_away_begins_when_it_is_back(play: Callable[..., Play]) -> None:
    job = play(slow(45, 20, role="server"), SERVER_AGAIN)
    _until_the_server_is_gone(job)
    assert job.on(events.Waiting, W0, 45, t=3.0) == [Credit(W0, 65)]
    job.conductor.tick(3.5)
    assert job.on(events.Spawned, S0, 2, 1, t=3.6) == [
        Injected(3.6, ARM, S0, 0, 45),
        Act(S0, 0, "slow", {"factor": 3.0}),
    ]


def test_a_fault_of_steps_on_a_server_that_was_away_for_all_of_them_is_superseded(play: Callable[..., Play]) -> None:
    job = play(slow(45, 20, role="server"), SERVER_AGAIN)
    _until_the_server_is_gone(job)
    job.on(events.Waiting, W0, 45, t=3.0)
    superseding = Superseded(3.2, ARM, S0, 0, 1, "worker/0 went on beyond its steps")
    assert job.on(events.Waiting, W0, 65, t=3.2) == [superseding, Credit(W0, None)]


def test_a_fault_by_the_clock_begins_while_its_process_is_away_and_holds_for_the_next_one(
    play: Callable[..., Play],
) -> None:
    select = {"role": "server"}
    job = play({"cpu_hog": {"select": select, "at": {"time": "2s"}, "for": {"time": "60s"}}}, SERVER_AGAIN)
    _until_the_server_is_gone(job)
    hog = Act(S0, 0, "cpu_hog", {"processes": None})
    assert job.conductor.tick(3.0) == [Injected(3.0, ARM, S0, 0, None), hog]
    job.conductor.tick(3.5)
    assert job.on(events.Spawned, S0, 2, 1, t=3.6) == [hog]


def test_a_fault_whose_process_was_away_for_all_of_its_time_is_superseded(play: Callable[..., Play]) -> None:
    hog = {"cpu_hog": {"select": {"role": "server"}, "at": {"time": "1.8s"}, "for": {"time": "500ms"}}}
    job = play(hog, SERVER_AGAIN)
    _until_the_server_is_gone(job)
    job.conductor.tick(2.8)
    assert job.conductor.tick(3.3) == [
        Undo(S0, 0),
        Healed(3.3, ARM, S0, 0, None),
        Superseded(3.3, ARM, S0, 0, 1, "server/0 was gone"),
    ]


def test_a_fault_whose_process_was_away_for_some_of_its_time_is_not(play: Callable[..., Play]) -> None:
    hog = {"cpu_hog": {"select": {"role": "server"}, "at": {"time": "1.8s"}, "for": {"time": "2s"}}}
    job = play(hog, SERVER_AGAIN)
    _until_the_server_is_gone(job)
    job.conductor.tick(2.8)
    job.conductor.tick(3.5)
    job.on(events.Spawned, S0, 2, 1, t=3.6)
    assert job.conductor.tick(4.8) == [Undo(S0, 0), Healed(4.8, ARM, S0, 0, None)]


def test_what_gives_way_as_soon_as_its_process_is_back_was_away_all_the_time(play: Callable[..., Play]) -> None:
    later = {"select": {"role": "server"}, "at": {"time": "1.8s"}, "for": {"time": "60s"}, "factor": 2}
    job = play({"slow": later}, slow(35, 20, role="server"), SERVER_AGAIN)
    job.come_up()
    job.on(events.Waiting, W0, 35, t=1.5)
    _until_the_server_is_gone_again(job)
    job.conductor.tick(2.8)
    job.conductor.tick(3.5)
    told = [action for action in job.on(events.Spawned, S0, 2, 2, t=3.6) if isinstance(action, Superseded)]
    assert told == [
        Superseded(3.6, ARM, S0, 0, 1, "slow of server/0 took its place"),
        Superseded(3.6, ARM, S0, 0, 2, "server/0 was gone"),
    ]


def _until_the_server_is_gone_again(job: Play) -> None:
    job.on(events.Waiting, W0, 40, t=2.0)
    job.leave(S0, status=None, signal=9, t=2.5)


def test_a_fault_whose_clock_went_back_ends_at_that_step(play: Callable[..., Play]) -> None:
    job = play(slow(30, 20, role="server"))
    job.come_up()
    job.on(events.Waiting, W0, 30)
    assert job.on(events.Waiting, W0, 20, t=2.0)[:2] == [Undo(S0, 0), Healed(2.0, ARM, S0, 0, 20)]


def _ended(job: Play, outcome_by: str, t: float) -> list[Any]:
    """What is said of faults that never began, when a process crashes."""
    return [action for action in job.leave(outcome_by, status=1, t=t) if isinstance(action, Superseded)]


def test_the_last_fault_before_that_could_have_broken_the_job_is_named(play: Callable[..., Play]) -> None:
    """Not one that was over, nor one that cannot end a process and was not in force."""
    select = {"role": "worker", "rank": 1}
    early = {"slow": {"select": select, "at": {"step": 10}, "for": {"steps": 5}, "factor": 3}}
    held = {"cpu_hog": {"select": select, "at": {"step": 20}}}
    last = {"memory_limit": {"select": select, "at": {"step": 30}, "limit": "1GB"}}
    job = play(early, held, last, slow(80, 5))
    job.come_up()
    for step in (10, 15, 20, 30):
        job.on(events.Waiting, W1, step, t=1.0 + step / 10)
    assert _ended(job, W0, 5.0) == [Superseded(5.0, ARM, W1, 3, 2, "the job was crashed after it")]


def test_what_needs_a_step_and_began_after_the_break_names_what_was_in_force_before(play: Callable[..., Play]) -> None:
    """A fault on a link or in a worker may have begun without a packet or step to act on."""
    held = {"cpu_hog": {"select": {"role": "worker", "rank": 1}, "at": {"step": 20}}}
    job = play(held, {"nan": {"select": {"role": "worker", "rank": 1}, "at": {"step": 30}, "for": {"steps": 2}}})
    job.come_up()
    job.on(events.Waiting, W1, 20, t=3.0)
    job.on(events.Waiting, W1, 30, t=4.0)
    assert _ended(job, W0, 5.0) == [Superseded(5.0, ARM, W1, 1, 0, "the job was crashed after it")]


def test_nothing_is_named_where_no_fault_was_before(play: Callable[..., Play]) -> None:
    job = play(slow(80, 5))
    job.come_up()
    assert _ended(job, W0, 5.0) == []


def test_a_job_that_completed_broke_nothing(play: Callable[..., Play]) -> None:
    hog = {"cpu_hog": {"select": {"role": "worker", "rank": 1}, "at": {"step": 20}}}
    late = {"pause": {"select": {"role": "worker", "rank": 0}, "at": {"time": "60s"}, "for": {"time": "1s"}}}
    job = play(hog, late)
    job.come_up()
    job.on(events.Waiting, W1, 20, t=3.0)
    for worker in (W0, W1):
        job.on(events.Done, worker, 100, t=8.0)
    assert [action for action in job.leave(*ALL) if isinstance(action, Superseded)] == []


def test_all_that_lasts_is_begun_anew_for_a_new_process(play: Callable[..., Play]) -> None:
    select = {"role": "worker", "rank": 1}
    hog = {"cpu_hog": {"select": select, "at": {"step": 10}, "for": {"time": "60s"}}}
    other = {"cpu_hog": {"select": {"role": "server"}, "at": {"step": 10}, "for": {"time": "60s"}}}
    limit = {"memory_limit": {"select": select, "at": {"step": 20}, "for": {"time": "60s"}, "limit": "1GB"}}
    job = play(hog, other, limit, restart())
    job.come_up()
    for step in (10, 20, 30):
        job.on(events.Waiting, W1, step)
    job.leave(W1, status=None, signal=9, t=1.5)
    job.conductor.tick(3.5)
    assert job.on(events.Spawned, W1, 2, 3, t=3.6) == [
        Act(W1, 0, "cpu_hog", {"processes": None}),
        Act(W1, 2, "memory_limit", {"bytes": 10**9}),
    ]


def test_of_many_faults_only_the_alike_one_gives_way(play: Callable[..., Play]) -> None:
    later = {"select": {"role": "worker", "rank": 1}, "at": {"time": "1s"}, "for": {"time": "1s"}, "factor": 3}
    job = play(slow(10, 60, role="server"), slow(10, 60), {"slow": later})
    job.come_up()
    job.on(events.Waiting, W0, 10)
    job.on(events.Waiting, W1, 10)
    assert job.conductor.tick(2.0) == [
        Superseded(2.0, ARM, W1, 1, 2, "slow of worker/1 took its place"),
        Undo(W1, 1),
        Healed(2.0, ARM, W1, 1, None),
        Injected(2.0, ARM, W1, 2, None),
        Act(W1, 2, "slow", {"factor": 3.0}),
    ]
