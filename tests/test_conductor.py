"""The conductor is pure: events in, lists of actions out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from harness import events
from harness.conductor import Conductor
from harness.events import Ended, Healed, Injected, Started
from harness.instructions import (
    Connect,
    Credit,
    Inspect,
    Limit,
    Shutdown,
    Signal,
    Snapshot,
    Spawn,
    Survey,
    Tamper,
    Throttle,
    Untamper,
    Unthrottle,
)
from harness.plan import Plan

ARM = "main"
W0, W1, S0, SCHEDULER = "worker/0", "worker/1", "server/0", "scheduler"
ALL = (SCHEDULER, S0, W0, W1)


def kill(**at: Any) -> dict[str, Any]:
    return {"kill": {"select": {"role": "worker", "rank": 1}, "at": at}}


def pause(seconds: str, **at: Any) -> dict[str, Any]:
    return {"pause": {"select": {"role": "worker", "rank": 1}, "at": at, "for": {"time": seconds}}}


def slow(first: int, steps: int, role: str = "worker") -> dict[str, Any]:
    select = {"role": role, "rank": 0 if role == "server" else 1}
    return {"slow": {"select": select, "at": {"step": first}, "for": {"steps": steps}, "factor": 3}}


class Play:
    """A conductor and short words for what happens to it."""

    def __init__(self, plan: Plan) -> None:
        arm = plan.arms[0]
        spawns = {role.name: Spawn(role.name, ("python",), {}, "/", "log") for role in arm.roles}
        self.conductor = Conductor(arm, 60.0, 30.0, spawns, 0.0)

    def on(self, kind: type[events.Event], role: str, *fields: Any, t: float = 1.0) -> list[Any]:
        return self.conductor.on(kind(t, ARM, role, *fields))

    def come_up(self, t: float = 1.0) -> list[Any]:
        """All processes start and both workers wait for credit."""
        self.conductor.begin()
        for role in ALL:
            self.on(events.Spawned, role, 1, t=t)
        self.on(events.Waiting, W0, 0, t=t)
        return self.on(events.Waiting, W1, 0, t=t)

    def leave(self, *roles: str, status: int | None = 0, signal: int | None = None, t: float = 9.0) -> list[Any]:
        return [action for role in roles for action in self.on(events.Exited, role, status, signal, t=t)]


@pytest.fixture
def play(fault_plan: Callable[..., Plan]) -> Callable[..., Play]:
    return lambda *faults: Play(fault_plan(*faults))


def test_every_role_is_started_in_order(play: Callable[..., Play]) -> None:
    assert [action.role for action in play().conductor.begin()] == list(ALL)


def test_credit_is_given_once_all_workers_wait(play: Callable[..., Play]) -> None:
    job = play()
    assert job.come_up() == [Started(1.0, ARM, ""), Credit(W0, None), Credit(W1, None)]


def test_all_workers_stop_where_a_fault_begins_and_ends(play: Callable[..., Play]) -> None:
    job = play(slow(30, 20))
    assert job.come_up()[1:] == [Credit(W0, 30), Credit(W1, 30)]
    assert job.on(events.Waiting, W0, 30) == [Credit(W0, 50)]
    assert job.on(events.Waiting, W1, 30, t=2.0) == [Injected(2.0, ARM, W1, 0, 30), Throttle(W1, 3.0), Credit(W1, 50)]
    assert job.on(events.Waiting, W1, 50, t=4.0) == [Unthrottle(W1), Healed(4.0, ARM, W1, 0, 50), Credit(W1, None)]


def test_a_fault_on_a_server_is_triggered_by_the_steps_of_worker_0(play: Callable[..., Play]) -> None:
    job = play(slow(30, 20, role="server"))
    job.come_up()
    assert job.on(events.Waiting, W1, 30) == [Credit(W1, 50)]
    assert job.on(events.Waiting, W0, 30) == [Injected(1.0, ARM, S0, 0, 30), Throttle(S0, 3.0), Credit(W0, 50)]


def test_a_fault_by_time_counts_from_the_first_step_and_ends_by_time(play: Callable[..., Play]) -> None:
    job = play(pause("3s", time="2s"))
    job.come_up(t=10.0)
    assert job.conductor.deadline() == 12.0
    assert job.conductor.tick(11.9) == []
    assert job.conductor.tick(12.0) == [Injected(12.0, ARM, W1, 0, None), Signal(W1, "STOP")]
    assert job.conductor.deadline() == 15.0
    assert job.conductor.tick(15.0) == [Signal(W1, "CONT"), Healed(15.0, ARM, W1, 0, None)]


def test_completed_when_all_have_left(play: Callable[..., Play]) -> None:
    job = play()
    job.come_up()
    for worker in (W0, W1):
        assert job.on(events.Done, worker, 100) == []
    assert job.leave(S0, SCHEDULER, W0) == []
    ended, shutdown = job.leave(W1)
    assert (ended.outcome, ended.reason) == ("completed", "2 of 2 workers trained 100 steps and every process left")
    assert shutdown == Shutdown("", 1.0)


def test_an_unplanned_death_is_a_crash_and_names_role_signal_and_step(play: Callable[..., Play]) -> None:
    job = play()
    job.come_up()
    job.on(events.Window, W1, 40, 10, 0.1)
    (ended, _) = job.leave(W1, status=None, signal=11)
    assert ended == Ended(9.0, ARM, W1, "crashed", "worker/1 ended with signal 11 at step 50")


def test_a_server_that_leaves_early_is_a_crash(play: Callable[..., Play]) -> None:
    job = play()
    job.come_up()
    (ended, _) = job.leave(S0)
    assert (ended.outcome, ended.role) == ("crashed", S0)


def test_a_failing_exit_after_the_last_step_is_a_crash(play: Callable[..., Play]) -> None:
    job = play()
    job.come_up()
    job.on(events.Done, W0, 100)
    (ended, _) = job.leave(W0, status=1)
    assert ended.outcome == "crashed"


def test_a_planned_death_is_no_crash_while_others_live(play: Callable[..., Play]) -> None:
    job = play(kill(step=50))
    job.come_up()
    assert job.on(events.Waiting, W1, 50)[:2] == [Injected(1.0, ARM, W1, 0, 50), Signal(W1, "KILL")]
    assert job.leave(W1, status=None, signal=9, t=2.0) == []
    assert job.conductor.deadline() == 32.0


def test_when_the_only_worker_is_killed_the_job_crashed(plan_of: Callable[..., Plan]) -> None:
    fault = {"kill": {"select": {"role": "worker"}, "at": {"step": 5}}}
    text = "title: t\nworkload: {model: mlp, steps: 50}\n"
    job = Play(plan_of(text, ("faults", [fault])))
    job.conductor.begin()
    job.on(events.Spawned, W0, 1)
    job.on(events.Waiting, W0, 0)
    job.on(events.Waiting, W0, 5)
    (ended, _) = job.leave(W0, status=None, signal=9)
    assert (ended.outcome, ended.reason) == ("crashed", "worker/0 ended as planned and no worker is left")


def test_standing_still_ends_as_hung_with_the_stacks_of_all_who_live(play: Callable[..., Play]) -> None:
    job = play()
    job.come_up(t=1.0)
    job.on(events.Window, W0, 0, 10, 0.1, t=2.0)
    assert job.conductor.tick(31.9) == []
    assert job.conductor.tick(32.0) == [Snapshot(role) for role in ALL]
    for role in ALL[:-1]:
        assert job.on(events.Stack, role, "text", [], t=33.0) == []
    (ended, _) = job.on(events.Stack, W1, "text", [], t=33.0)
    assert ended.outcome == "hung"
    assert (
        ended.reason == "nothing moved for 30.0 s: worker/0 at step 10, worker/1 at step 0; last to move was worker/0"
    )


def test_a_job_that_cannot_leave_is_hung(play: Callable[..., Play]) -> None:
    job = play()
    job.come_up()
    job.on(events.Done, W0, 100)
    job.on(events.Done, W1, 100)
    job.leave(W1, t=2.0)
    assert job.conductor.tick(32.0) == [Snapshot(role) for role in ALL[:-1]]
    (ended, _) = job.conductor.tick(60.0)
    where = "scheduler, server/0, worker/0 had finished and did not leave"
    assert ended.reason == f"nothing moved for 30.0 s: {where}; last to move was worker/1"


def test_movement_while_stacks_are_taken_revokes_the_hang(play: Callable[..., Play]) -> None:
    job = play()
    job.come_up(t=1.0)
    assert job.conductor.tick(31.0) == [Snapshot(role) for role in ALL]
    job.on(events.Progress, W0, 5, t=32.0)
    for role in ALL:
        assert job.on(events.Stack, role, "text", [], t=33.0) == []
    assert job.conductor.deadline() == 62.0


def test_a_hang_whose_processes_all_leave_ends_at_once(play: Callable[..., Play]) -> None:
    job = play()
    job.come_up(t=1.0)
    job.conductor.tick(31.0)
    (ended, _) = job.leave(*ALL, t=32.0)
    assert (ended.t, ended.outcome) == (32.0, "hung")


def test_time_in_which_nobody_listened_does_not_count(play: Callable[..., Play]) -> None:
    job = play()
    job.come_up(t=1.0)
    job.conductor.excuse(20.0)
    assert job.conductor.deadline() == 51.0
    job.on(events.Progress, W0, 5, t=3.0)  # written before, and read only now
    assert job.conductor.deadline() == 51.0


def test_a_slowed_job_is_given_more_time(play: Callable[..., Play]) -> None:
    job = play(slow(30, 20))
    job.come_up()
    job.on(events.Waiting, W1, 30, t=2.0)
    assert job.conductor.deadline() == 2.0 + 3 * 30.0


def test_slow_steps_are_not_a_stall(play: Callable[..., Play]) -> None:
    job = play()
    job.come_up()
    job.on(events.Window, W0, 0, 1, 5.0, t=6.0)
    assert job.conductor.deadline() == 56.0


def test_a_fault_that_the_clock_will_end_is_not_a_stall(play: Callable[..., Play]) -> None:
    job = play(pause("60s", step=50))
    job.come_up()
    job.on(events.Waiting, W1, 50, t=5.0)
    assert job.conductor.deadline() == 65.0
    assert job.conductor.tick(64.0) == []


def test_a_loss_that_is_not_finite_ends_as_diverged(play: Callable[..., Play]) -> None:
    job = play()
    job.come_up()
    assert job.on(events.Loss, W1, 20, [0.5, None, 0.5]) == []
    assert job.on(events.Loss, W0, 0, [0.5] * 20) == []
    assert job.conductor.deadline() == 3.0
    (ended, _) = job.on(events.Loss, W0, 20, [0.5, 0.5], t=1.5)
    assert ended == Ended(1.5, ARM, W1, "diverged", "the loss of worker/1 is not finite at step 21")


def test_the_first_gradient_that_is_not_finite_is_named_whoever_tells_first(play: Callable[..., Play]) -> None:
    job = play()
    job.come_up()
    job.on(events.NotFinite, W0, 30, "b")
    job.on(events.Loss, W0, 20, [0.5, None])
    job.on(events.Gradients, W1, 20, ["a", "b"], [[1.0, None], [None, None]])
    (ended, _) = job.on(events.Loss, W1, 20, [0.5, None])
    assert ended.role == W1
    assert ended.reason == "the gradient of b of worker/1 is not finite at step 20; later the parameter b of worker/0"


def test_others_who_say_nothing_are_not_waited_for(play: Callable[..., Play]) -> None:
    job = play()
    job.come_up()
    job.on(events.Loss, W1, 20, [None])
    (ended, _) = job.conductor.tick(3.0)
    assert ended.outcome == "diverged"


def test_weights_that_are_none_in_the_end_are_no_completion(play: Callable[..., Play]) -> None:
    job = play()
    job.come_up()
    for worker in (W0, W1):
        job.on(events.NotFinite, worker, 100, "conv0_weight")
        job.on(events.Done, worker, 100)
    ended = job.leave(*ALL)[0]
    assert (ended.outcome, ended.role) == ("diverged", W0)
    assert "conv0_weight of worker/0 is not finite at step 100" in ended.reason


def test_who_did_not_come_up_is_named(play: Callable[..., Play]) -> None:
    job = play()
    job.conductor.begin()
    job.on(events.Waiting, W0, 0)
    assert job.conductor.deadline() == 60.0
    (ended, _) = job.conductor.tick(60.0)
    assert ended == Ended(60.0, ARM, W1, "refused", "after 60 s worker/1 had not come up")


def test_a_process_that_cannot_start_refuses_the_job(play: Callable[..., Play]) -> None:
    job = play()
    job.conductor.begin()
    (ended, _) = job.on(events.SpawnFailed, W0, "python: no such file")
    assert (ended.outcome, ended.reason) == ("refused", "worker/0 could not be started: python: no such file")


def test_an_exit_before_all_are_ready_refuses_the_job(play: Callable[..., Play]) -> None:
    job = play()
    job.conductor.begin()
    job.on(events.Spawned, W0, 1)
    (ended, _) = job.leave(W0, status=1)
    assert ended.reason == "worker/0 ended with exit status 1 before all were ready"


def test_every_way_out_heals(play: Callable[..., Play]) -> None:
    job = play(slow(0, 50))
    job.come_up()
    healed = [Unthrottle(W1), Healed(3.0, ARM, W1, 0, None)]
    actions = job.conductor.stop(3.0, "interrupted", "SIGINT")
    assert actions == [*healed, Ended(3.0, ARM, "", "interrupted", "SIGINT"), Shutdown("", 1.0)]
    assert job.conductor.stop(4.0, "interrupted", "SIGINT") == []


def test_a_fault_that_lasts_to_the_end_is_healed_when_its_worker_is_done(play: Callable[..., Play]) -> None:
    fault = {"slow": {"select": {"role": "worker", "rank": 1}, "at": {"step": 50}, "factor": 3}}
    job = play(fault)
    job.come_up()
    job.on(events.Waiting, W1, 50)
    assert job.on(events.Done, W1, 100, t=7.0) == [Unthrottle(W1), Healed(7.0, ARM, W1, 0, 100)]


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
        Unthrottle(W1),
        Healed(3.0, ARM, W1, 0, None),
        Limit(S0, 1, None),
        Healed(3.0, ARM, S0, 1, None),
    ]


def test_over_means_ended_and_everyone_gone(play: Callable[..., Play]) -> None:
    job = play()
    job.come_up()
    job.conductor.stop(3.0, "interrupted", "SIGINT")
    assert not job.conductor.over
    job.leave(*ALL)
    assert not job.conductor.over
    job.on(events.Closed, "")
    assert job.conductor.over
    assert job.conductor.deadline() is None


NETWORKED = """\
title: a question
workload: {model: mlp, steps: 100, warmup: 20}
topology: {kvstore: dist_sync, workers: 2, network: {mtu: 1500}}
"""
HOROVOD = """\
title: a question
workload: {model: mlp, steps: 100, warmup: 20}
topology: {horovod: {ranks: 2}}
"""


def test_hosts_come_before_processes(plan_of: Callable[..., Plan]) -> None:
    job = Play(plan_of(NETWORKED))
    (connect,) = job.conductor.begin()
    assert isinstance(connect, Connect)
    assert ([host.name for host in connect.hosts], connect.mtu) == (
        ["scheduler", "server-0", "worker-0", "worker-1"],
        1500,
    )
    assert [action.role for action in job.on(events.Connected, "", 7)] == list(ALL)


def test_links_are_asked_after_the_warm_up_when_a_worker_is_done_and_at_the_end(plan_of: Callable[..., Plan]) -> None:
    job = Play(plan_of(NETWORKED))
    assert Survey("") not in job.come_up()
    assert job.on(events.Window, W1, 10, 10, 0.1) == []
    assert job.on(events.Window, W0, 10, 10, 0.1) == [Survey("")]
    assert job.on(events.Window, W0, 20, 10, 0.1) == []
    assert job.on(events.Done, W0, 100) == [Survey("")]
    assert job.conductor.stop(5.0, "interrupted", "SIGINT")[0] == Survey("")


def test_without_a_warm_up_links_are_asked_at_the_first_credit(plan_of: Callable[..., Plan]) -> None:
    assert Survey("") in Play(plan_of(NETWORKED.replace("warmup: 20", "warmup: 0"))).come_up()


def test_without_hosts_the_arm_is_refused(plan_of: Callable[..., Plan]) -> None:
    job = Play(plan_of(NETWORKED))
    job.conductor.begin()
    _, ended, shutdown = job.on(events.ConnectFailed, "", "/dev/net/tun: Permission denied")
    assert isinstance(shutdown, Shutdown)
    assert ended.outcome == "refused"
    assert ended.reason.startswith("the pocket cluster could not be made: /dev/net/tun: Permission denied")


def test_a_service_is_ended_once_no_worker_is_left(plan_of: Callable[..., Plan]) -> None:
    job = Play(plan_of(HOROVOD))
    for role in (SCHEDULER, W0, W1):
        job.on(events.Spawned, role, 1)
    job.on(events.Waiting, W0, 0)
    job.on(events.Waiting, W1, 0)
    for worker in (W0, W1):
        job.on(events.Done, worker, 100)
    assert job.leave(W0) == []
    assert job.leave(W1) == [Signal(SCHEDULER, "TERM")]
    ended = job.leave(SCHEDULER, status=None, signal=15)[0]
    assert ended.outcome == "completed"


def test_a_service_that_leaves_early_has_crashed(plan_of: Callable[..., Plan]) -> None:
    job = Play(plan_of(HOROVOD))
    for role in (SCHEDULER, W0, W1):
        job.on(events.Spawned, role, 1)
    job.on(events.Waiting, W0, 0)
    job.on(events.Waiting, W1, 0)
    ended = job.leave(SCHEDULER, status=1)[0]
    assert (ended.outcome, ended.role) == ("crashed", SCHEDULER)


def restart(after: str = "2s", scope: str = "process") -> dict[str, Any]:
    select = {"role": "worker", "rank": 1}
    return {"restart": {"select": select, "at": {"step": 30}, "after": after, "scope": scope}}


def test_a_restarted_process_is_started_again_some_time_after_its_end(play: Callable[..., Play]) -> None:
    job = play(restart())
    job.come_up()
    assert job.on(events.Waiting, W1, 30)[:2] == [Injected(1.0, ARM, W1, 0, 30), Signal(W1, "KILL")]
    assert job.leave(W1, status=None, signal=9, t=1.5) == []
    assert job.conductor.deadline() == 3.5
    spawn, healed = job.conductor.tick(3.5)
    assert (spawn.role, healed) == (W1, Healed(3.5, ARM, W1, 0, None))
    job.on(events.Spawned, W1, 2, t=3.6)
    assert job.on(events.Waiting, W1, 0, t=4.0) == [Credit(W1, 30)]
    (ended, _) = job.leave(W1, status=1, t=5.0)
    assert ended.outcome == "crashed"


def test_a_restarted_job_starts_again_when_all_are_gone(play: Callable[..., Play]) -> None:
    job = play(restart(scope="job"))
    job.come_up()
    actions = job.on(events.Waiting, W1, 30)
    assert actions[1:5] == [Signal(role, "KILL") for role in ALL]
    assert job.leave(*ALL[:3], status=None, signal=9, t=1.5) == []
    assert job.leave(W1, status=None, signal=9, t=1.6) == []
    assert [action.role for action in job.conductor.tick(3.6)[:4]] == list(ALL)


def test_a_late_process_is_started_when_its_time_has_come(play: Callable[..., Play]) -> None:
    job = play({"late_start": {"select": {"role": "server"}, "by": "5s"}})
    actions = job.conductor.begin()
    assert [type(action) for action in actions] == [Spawn, Injected, Spawn, Spawn]
    assert job.conductor.deadline() == 5.0
    assert [action.role for action in job.conductor.tick(5.0)] == [S0, S0]


def test_a_process_is_told_the_wrong_thing_and_that_is_looked_at(play: Callable[..., Play]) -> None:
    job = play({"wrong_start": {"select": {"role": "server"}, "workers": 7}})
    actions = job.conductor.begin()
    assert actions[2:4] == [Injected(0.0, ARM, S0, 0, None), Inspect(S0, 0, ("DMLC_NUM_WORKER", "HOROVOD_SIZE"))]


def test_a_fault_waits_for_an_event_of_a_role(play: Callable[..., Play]) -> None:
    job = play({"kill": {"select": {"role": "server"}, "at": {"event": "done", "of": "worker/0"}}})
    job.come_up()
    job.on(events.Done, W1, 100)
    actions = job.on(events.Done, W0, 100, t=2.0)
    assert actions == [Injected(2.0, ARM, S0, 0, None), Signal(S0, "KILL")]


def test_a_worker_commits_its_fault_before_it_goes_on(play: Callable[..., Play]) -> None:
    job = play({"nan": {"select": {"role": "worker", "rank": 1}, "at": {"step": 30}}})
    job.come_up()
    assert job.on(events.Waiting, W1, 30) == [Injected(1.0, ARM, W1, 0, 30), Tamper(W1, 0), Credit(W1, 31)]
    assert job.on(events.Waiting, W1, 31)[:2] == [Untamper(W1, 0), Healed(1.0, ARM, W1, 0, 31)]


def test_processes_that_never_come_up_are_looked_at_before_the_end(play: Callable[..., Play]) -> None:
    job = play({"late_start": {"select": {"role": "server"}}})
    job.conductor.begin()
    job.on(events.Spawned, W0, 1)
    assert job.conductor.tick(60.0) == [Snapshot(W0)]
    (ended, _) = job.on(events.Stack, W0, "text", [], t=61.0)
    assert (ended.outcome, ended.reason) == ("refused", "after 60 s worker/0, worker/1 had not come up")


def test_a_script_that_failed_and_stays_is_named(play: Callable[..., Play]) -> None:
    job = play()
    job.come_up()
    job.on(events.Failed, W1, "ValueError: no")
    job.conductor.tick(31.0)
    ended = [job.on(events.Stack, role, "text", [], t=33.0) for role in ALL][-1][0]
    assert "worker/1 had failed with ValueError: no and did not leave" in ended.reason


def test_a_process_that_is_gone_already_is_started_again_with_the_job(play: Callable[..., Play]) -> None:
    again = {"select": {"role": "worker", "rank": 0}, "at": {"event": "exited", "of": "worker/1"}, "scope": "job"}
    job = play(kill(step=30), {"restart": {**again, "after": "1s"}})
    job.come_up()
    job.on(events.Waiting, W1, 30)
    actions = job.leave(W1, status=None, signal=9, t=2.0)
    assert actions[1:5] == [Signal(role, "KILL") for role in ALL]
    assert job.leave(SCHEDULER, S0, W0, status=None, signal=9, t=2.5) == []
    assert [action.role for action in job.conductor.tick(3.5)[:4]] == list(ALL)


def test_what_is_in_force_holds_for_the_new_process_too(play: Callable[..., Play]) -> None:
    nan = {"nan": {"select": {"role": "worker", "rank": 1}, "at": {"step": 20}, "for": {"steps": 60}}}
    job = play(nan, restart())
    job.come_up()
    job.on(events.Waiting, W1, 20)
    job.on(events.Waiting, W1, 30)
    job.leave(W1, status=None, signal=9, t=1.5)
    job.conductor.tick(3.5)
    assert job.on(events.Spawned, W1, 2, t=3.6) == [Tamper(W1, 0)]


def test_a_pause_lasts_from_when_the_process_stood_still_and_moves_no_other_end(play: Callable[..., Play]) -> None:
    hog = {"cpu_hog": {"select": {"role": "worker", "rank": 1}, "at": {"time": "1s"}, "for": {"time": "5s"}}}
    job = play(hog, pause("3s", time="1s"))
    job.come_up(t=10.0)
    job.conductor.tick(11.0)
    job.on(events.Signalled, W1, "STOP", "R", "T", 0.1, t=11.5)
    assert sorted(job.conductor._injector.healing) == [14.5, 16.0]
