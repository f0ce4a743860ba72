"""The conductor is pure: events in, lists of actions out."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from harness.planning.plan import Plan
from harness.vocabulary import events
from harness.vocabulary.events import Ended, Injected, Started
from harness.vocabulary.instructions import Connect, Credit, Shutdown, Signal, Snapshot, Survey
from tests.play import ALL, ARM, S0, SCHEDULER, W0, W1, Play, kill, pause, slow


def test_every_role_is_started_in_order(play: Callable[..., Play]) -> None:
    assert [action.subject for action in play().conductor.begin()] == list(ALL)


def test_credit_is_given_once_all_workers_wait(play: Callable[..., Play]) -> None:
    job = play()
    assert job.come_up() == [Started(1.0, ARM, ""), Credit(W0, None), Credit(W1, None)]


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
    assert (ended.outcome, ended.subject) == ("crashed", S0)


def test_a_failing_exit_after_the_last_step_is_a_crash(play: Callable[..., Play]) -> None:
    job = play()
    job.come_up()
    job.on(events.Done, W0, 100)
    (ended, _) = job.leave(W0, status=1)
    assert ended.outcome == "crashed"


def test_a_planned_death_is_no_crash_while_others_live(play: Callable[..., Play]) -> None:
    job = play(kill(step=50))
    job.come_up()
    assert job.on(events.Waiting, W1, 50)[:2] == [Injected(1.0, ARM, W1, 0, 50), Signal(W1, "KILL", 0)]
    assert job.leave(W1, status=None, signal=9, t=2.0) == []
    assert job.conductor.deadline() == 32.0


def test_when_the_only_worker_is_killed_the_job_crashed(plan_of: Callable[..., Plan]) -> None:
    fault = {"kill": {"select": {"role": "worker"}, "at": {"step": 5}}}
    text = "title: t\nworkload: {model: mlp, steps: 50}\n"
    job = Play(plan_of(text, ("faults", [fault])))
    job.conductor.begin()
    job.on(events.Spawned, W0, 1, None)
    job.imports(W0)
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
    assert job.conductor.began == 0.0


def test_time_in_which_nobody_listened_while_it_came_up_does_not_count(play: Callable[..., Play]) -> None:
    job = play()
    job.conductor.begin()
    job.conductor.excuse(20.0)
    job.conductor.excuse(5.0)
    assert job.conductor.deadline() == 85.0


def test_progress_is_told_of_a_hang(play: Callable[..., Play]) -> None:
    job = play()
    job.come_up(t=1.0)
    job.on(events.Progress, W0, 5, t=2.0)
    job.conductor.tick(32.0)
    (ended, _) = job.conductor.tick(60.0)
    assert "worker/0 at step 5, worker/1 at step 0" in ended.reason


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
    assert ended.subject == W1
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
    assert (ended.outcome, ended.subject) == ("diverged", W0)
    assert "conv0_weight of worker/0 is not finite at step 100" in ended.reason


def test_who_did_not_come_up_is_named(play: Callable[..., Play]) -> None:
    job = play()
    job.conductor.begin()
    job.imports(W0)
    job.on(events.Waiting, W0, 0)
    assert job.conductor.deadline() == 60.0
    (ended, _) = job.conductor.tick(60.0)
    assert ended == Ended(60.0, ARM, W1, "refused", "after 60 s worker/1 had not come up", stage="start-up")


def test_a_process_that_cannot_start_says_nothing_of_mxnet(play: Callable[..., Play]) -> None:
    job = play()
    job.conductor.begin()
    (ended, _) = job.on(events.SpawnFailed, W0, "python: no such file")
    assert ended == Ended(1.0, ARM, W0, "aborted", "worker/0 could not be started: python: no such file")


def test_an_exit_before_all_are_ready_refuses_the_job(play: Callable[..., Play]) -> None:
    job = play()
    job.conductor.begin()
    job.imports(W1)
    (ended, _) = job.leave(W0, status=1)
    assert (ended.outcome, ended.reason) == ("refused", "worker/0 ended with exit status 1 before all were ready")


@pytest.mark.parametrize(
    ("mxnet", "outcome"),
    [(True, "refused"), (False, "crashed")],
    ids=["MXNet's own", "the script's"],
)
def test_an_error_before_the_start_is_whose_it_is_and_is_told(
    play: Callable[..., Play], mxnet: bool, outcome: str
) -> None:
    job = play()
    job.conductor.begin()
    job.imports(W0)
    job.imports(W1)
    job.on(events.Failed, W1, "ValueError: no data\nat all", False, mxnet, 0)
    (ended, _) = job.leave(W1, status=1)
    reason = "worker/1 ended with exit status 1 before all were ready: ValueError: no data"
    assert (ended.outcome, ended.reason) == (outcome, reason)


def test_a_worker_that_failed_before_the_start_is_named_whoever_leaves_first(play: Callable[..., Play]) -> None:
    job = play()
    job.conductor.begin()
    job.imports(W0)
    job.imports(W1)
    job.on(events.Failed, W1, "ValueError: no data", False, False, 0)
    (ended, _) = job.leave(SCHEDULER, status=0)
    assert (ended.outcome, ended.reason) == ("crashed", "worker/1 failed: ValueError: no data")


def test_where_mxnet_was_never_imported_it_is_not_to_blame(play: Callable[..., Play]) -> None:
    job = play()
    job.conductor.begin()
    (ended, _) = job.leave(W0, status=1)
    assert ended.outcome == "aborted"
    assert ended.reason.endswith("before all were ready; mxnet was never there in any worker")


def test_a_worker_that_never_imported_mxnet_is_not_its_matter_whoever_else_did(play: Callable[..., Play]) -> None:
    job = play()
    job.conductor.begin()
    job.imports(W0)
    job.on(events.Spawned, W1, 1, None)
    (ended, _) = job.leave(W1, status=7)
    assert ended.outcome == "aborted"
    assert ended.reason.endswith("exit status 7 before all were ready; mxnet was never there in worker/1")


def _started_again(job: Play) -> None:
    """worker/1, at 3.6 s, while worker/0 waits for it."""
    job.come_up()
    job.on(events.Waiting, W1, 30)
    job.leave(W1, status=None, signal=9, t=1.5)
    job.conductor.tick(3.5)
    job.on(events.Spawned, W1, 2, 0, t=3.6)


RESTART = {"restart": {"select": {"role": "worker", "rank": 1}, "at": {"step": 30}, "after": "2s"}}


def test_a_new_process_that_cannot_import_mxnet_is_not_its_matter(play: Callable[..., Play]) -> None:
    job = play(RESTART)
    _started_again(job)
    (ended, _) = job.leave(W1, status=1, t=5.0)
    assert (ended.outcome, ended.subject) == ("aborted", W1)


def test_a_job_does_not_hang_while_a_new_process_imports_mxnet(play: Callable[..., Play]) -> None:
    """The stall timeout is 30 s here, the start-up timeout 60 s."""
    job = play(RESTART)
    _started_again(job)
    assert job.conductor.deadline() == 63.6
    job.imports(W1, t=50.0)
    assert job.conductor.deadline() == 80.0


def test_a_new_process_that_never_imports_mxnet_is_no_hang_of_its(play: Callable[..., Play]) -> None:
    job = play(RESTART)
    _started_again(job)
    job.conductor.tick(63.6)
    (ended, _) = job.conductor.tick(90.0)
    assert (ended.outcome, ended.subject) == ("aborted", W1)


@pytest.mark.parametrize("kind", [events.Announced, events.Ready])
def test_who_comes_up_while_stacks_are_taken_revokes_the_hang(
    play: Callable[..., Play], kind: type[events.Event]
) -> None:
    job = play(RESTART)
    _started_again(job)
    job.imports(W1, t=4.0)
    job.conductor.tick(34.0)
    job.on(kind, W1, *((1,) if kind is events.Announced else (10**7, 0, "")), t=35.0)
    assert job.conductor.ended is None
    assert job.conductor.deadline() == 65.0


def test_a_server_that_fails_first_waits_for_a_worker_to_import_mxnet(play: Callable[..., Play]) -> None:
    job = play()
    job.conductor.begin()
    job.on(events.Spawned, W0, 1, None)
    assert job.leave(S0, status=1) == []
    assert job.conductor.deadline() == 29.0
    (ended, _) = job.imports(W0)
    assert (ended.outcome, ended.subject) == ("refused", S0)


def test_a_server_that_fails_where_no_worker_imports_mxnet_says_nothing_of_it(play: Callable[..., Play]) -> None:
    job = play()
    job.conductor.begin()
    job.on(events.Spawned, W0, 1, None)
    assert job.leave(S0, status=1) == []
    (ended, _) = job.leave(W0, status=1)
    assert (ended.outcome, ended.subject) == ("aborted", S0)


def test_a_defect_of_the_workers_own_code_is_not_the_trainings(play: Callable[..., Play]) -> None:
    job = play()
    job.come_up()
    (ended, _) = job.on(events.Failed, W1, "KeyError: 'w'", True)
    assert ended.outcome == "aborted"
    assert ended.reason == "worker/1 failed in code that is not MXNet's: KeyError: 'w'"


def test_who_left_with_an_error_while_stacks_were_taken_is_not_forgotten(play: Callable[..., Play]) -> None:
    job = play()
    job.come_up(t=1.0)
    assert job.conductor.tick(31.0) == [Snapshot(role) for role in ALL]
    assert job.leave(W0, status=1, t=31.5) == []
    (ended, _) = job.on(events.Progress, W1, 5, t=32.0)
    assert (ended.outcome, ended.subject) == ("crashed", W0)


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
    assert [action.subject for action in job.on(events.Connected, "", 7)] == list(ALL)


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


def test_without_hosts_the_arm_is_aborted(plan_of: Callable[..., Plan]) -> None:
    job = Play(plan_of(NETWORKED))
    job.conductor.begin()
    _, ended, shutdown = job.on(events.ConnectFailed, "", "/dev/net/tun: Permission denied")
    assert isinstance(shutdown, Shutdown)
    why = "the pocket cluster could not be made: /dev/net/tun: Permission denied; see harness doctor"
    assert ended == Ended(1.0, ARM, "", "aborted", why)


def test_a_service_is_ended_once_no_worker_is_left(plan_of: Callable[..., Plan]) -> None:
    job = Play(plan_of(HOROVOD))
    for role in (SCHEDULER, W0, W1):
        job.on(events.Spawned, role, 1, None)
    job.on(events.Waiting, W0, 0)
    job.on(events.Waiting, W1, 0)
    for worker in (W0, W1):
        job.on(events.Done, worker, 100)
    assert job.leave(W0) == []
    assert job.leave(W1) == [Signal(SCHEDULER, "TERM", None)]
    ended = job.leave(SCHEDULER, status=None, signal=15)[0]
    assert ended.outcome == "completed"


def test_a_service_of_ours_that_leaves_early_is_not_mxnets_crash(plan_of: Callable[..., Plan]) -> None:
    job = Play(plan_of(HOROVOD))
    for role in (SCHEDULER, W0, W1):
        job.on(events.Spawned, role, 1, None)
    job.on(events.Waiting, W0, 0)
    job.on(events.Waiting, W1, 0)
    ended = job.leave(SCHEDULER, status=1)[0]
    assert (ended.outcome, ended.subject) == ("aborted", SCHEDULER)


def test_processes_that_never_come_up_are_looked_at_before_the_end(play: Callable[..., Play]) -> None:
    job = play({"late_start": {"select": {"role": "server"}}})
    job.conductor.begin()
    job.on(events.Spawned, W0, 1, None)
    job.imports(W0)
    assert job.conductor.tick(60.0) == [Snapshot(W0)]
    (ended, _) = job.on(events.Stack, W0, "text", [], t=61.0)
    assert (ended.outcome, ended.reason) == ("refused", "after 60 s worker/0, worker/1 had not come up")


def test_a_script_that_failed_and_stays_is_named(play: Callable[..., Play]) -> None:
    job = play()
    job.come_up()
    job.on(events.Failed, W1, "ValueError: no", False)
    job.conductor.tick(31.0)
    ended = [job.on(events.Stack, role, "text", [], t=33.0) for role in ALL][-1][0]
    assert "worker/1 had failed with ValueError: no and did not leave" in ended.reason


def test_a_job_whose_others_all_left_is_over_though_one_was_to_come_back(play: Callable[..., Play]) -> None:
    select = {"role": "worker", "rank": 1}
    job = play({"restart": {"select": select, "at": {"step": 50}, "after": "30s"}})
    job.come_up()
    job.on(events.Waiting, W1, 50)
    job.leave(W1, status=None, signal=9, t=2.1)
    job.on(events.Done, W0, 100)
    ended = next(action for action in job.leave(W0, S0, SCHEDULER, t=3.0) if isinstance(action, Ended))
    assert (ended.outcome, ended.reason) == ("completed", "1 of 2 workers trained 100 steps and every process left")


def test_a_hang_names_those_who_failed_and_did_not_leave(play: Callable[..., Play]) -> None:
    job = play()
    job.come_up(t=1.0)
    job.on(events.Failed, W1, "ValueError: x", False, t=2.0)
    job.conductor.tick(31.0)
    (ended, _) = job.conductor.tick(60.0)
    standstill = "nothing moved for 30.0 s: worker/0 at step 0, worker/1 at step 0"
    assert (
        ended.reason
        == f"{standstill}; worker/1 had failed with ValueError: x and did not leave; last to move was worker/1"
    )
    assert (ended.subject, ended.stage) == (W0, "training")


def test_a_hang_of_one_worker_names_no_last_mover(plan_of: Callable[..., Plan]) -> None:
    job = Play(plan_of("title: t\nworkload: {model: mlp, steps: 50}\n"))
    job.conductor.begin()
    job.on(events.Spawned, W0, 1, None)
    job.imports(W0)
    job.on(events.Waiting, W0, 0, t=1.0)
    job.conductor.tick(31.0)
    (ended, _) = job.conductor.tick(60.0)
    assert ended.reason == "nothing moved for 30.0 s: worker/0 at step 0"


def test_only_those_who_train_are_told_of_by_step(play: Callable[..., Play]) -> None:
    job = play()
    job.come_up(t=1.0)
    job.on(events.Done, W0, 100, t=2.0)
    job.conductor.tick(32.0)
    (ended, _) = job.conductor.tick(60.0)
    assert ended.reason.startswith("nothing moved for 30.0 s: worker/0 at step 100, worker/1 at step 0; last")
    assert ended.subject == W1


TURNS = """\
title: t
turns: 5
workload: {model: mlp, steps: 100, warmup: 20}
topology: {kvstore: dist_sync, workers: 2, servers: 1}
variants: {main: {}, other: {}}
"""


def test_an_arm_that_takes_turns_waits_for_its_first_and_after_each(plan_of: Callable[..., Plan]) -> None:
    job = Play(plan_of(TURNS))
    assert job.come_up() == [Started(1.0, ARM, "")]
    assert job.conductor.rests
    assert job.conductor.take_turn(2.0) == [Credit(W0, 5), Credit(W1, 5)]
    assert not job.conductor.rests
    assert job.on(events.Waiting, W0, 5) == []
    assert not job.conductor.rests
    assert job.on(events.Waiting, W1, 5) == []
    assert job.conductor.rests
    assert job.conductor.take_turn(3.0) == [Credit(W0, 10), Credit(W1, 10)]


def test_standing_still_between_turns_is_no_hang(plan_of: Callable[..., Plan]) -> None:
    job = Play(plan_of(TURNS))
    job.come_up()
    assert job.conductor.deadline() is None
    assert job.conductor.tick(1000.0) == []
    job.conductor.take_turn(1000.0)
    assert job.conductor.deadline() == 1030.0
    assert job.conductor.tick(1030.0) == [Snapshot(role) for role in ALL]
    assert not job.conductor.rests


def test_one_that_dies_between_turns_ends_its_arm(plan_of: Callable[..., Plan]) -> None:
    job = Play(plan_of(TURNS))
    job.come_up()
    (ended, _) = job.leave(W1, status=None, signal=9)
    assert (ended.outcome, ended.subject) == ("crashed", W1)
    assert not job.conductor.rests
    assert job.conductor.take_turn(10.0) == []


def test_what_computes_while_it_waits_is_stopped_between_turns(plan_of: Callable[..., Plan]) -> None:
    job = Play(plan_of(TURNS, ("target.env.OMP_NUM_THREADS", 2)))
    stops = [Signal(role, "STOP", None) for role in ALL]
    assert job.come_up() == [Started(1.0, ARM, ""), *stops]
    goes_on = [Signal(role, "CONT", None) for role in ALL]
    assert job.conductor.take_turn(2.0) == [*goes_on, Credit(W0, 5), Credit(W1, 5)]
    assert job.on(events.Waiting, W0, 5) == []
    assert job.on(events.Waiting, W1, 5) == stops


SCRIPT = "title: q\nworkload: {script: ./train.py%s}\ntopology: {kvstore: dist_sync, workers: 2}\n"


@pytest.fixture
def script(plan_of: Callable[..., Plan], tmp_path: Path) -> Callable[..., Play]:
    """A job of a script, which is stopped after so many steps, or never."""

    def make(steps: int | None) -> Play:
        (tmp_path / "train.py").touch()
        return Play(plan_of(SCRIPT % (f", steps: {steps}" if steps else "")))

    return make


@pytest.mark.parametrize(
    ("asked", "taken", "trained"),
    [
        (300, 300, "trained 300 steps and every"),
        (300, 120, "trained 120 steps, not 300, by the script's own end, and every"),
        (None, 120, "trained 120 steps and every"),
    ],
)
def test_a_script_may_end_by_itself(script: Callable[..., Play], asked: int | None, taken: int, trained: str) -> None:
    job = script(asked)
    job.come_up()
    for worker in (W0, W1):
        job.on(events.Done, worker, taken)
    ended, _ = job.leave(S0, SCHEDULER, W0, W1)
    assert (ended.outcome, ended.reason) == ("completed", f"2 of 2 workers {trained} process left")
    assert ended.steps == taken


@pytest.mark.parametrize(
    ("shown", "why"),
    [
        ((), "the script never imported mxnet"),
        ((events.Imported,), "no batch, gradient or update of MXNet's was seen"),
        (
            (events.Imported, events.Ready),
            "batches or gradients were seen, but no update by a gluon.Trainer or a Module",
        ),
    ],
    ids=["nothing", "an import", "a batch"],
)
def test_a_script_that_takes_no_step_is_not_mxnets_matter(
    script: Callable[..., Play], shown: tuple[type[events.Event], ...], why: str
) -> None:
    job = script(None)
    job.conductor.begin()
    job.on(events.Spawned, W0, 1, None)
    if events.Imported in shown:
        job.imports(W0)
    if events.Ready in shown:
        job.on(events.Ready, W0, 0, 0, "")
    job.on(events.Done, W0, 0)
    ended, _ = job.leave(W0)
    assert ended.outcome == "aborted"
    assert ended.reason.startswith(f"worker/0 ended with exit status 0 and without a step: {why}")


def test_a_control_is_stopped_where_every_worker_has_come_as_far_as_the_job(play: Callable[..., Play]) -> None:
    job = play()
    job.conductor.most_steps = 60
    assert job.come_up() == [Started(1.0, ARM, ""), Credit(W0, 60), Credit(W1, 60)]
    assert job.on(events.Waiting, W0, 60) == []
    ended, shutdown = job.on(events.Waiting, W1, 60, t=2.0)
    assert (ended.outcome, shutdown) == ("stopped", Shutdown("", 1.0))
    assert ended.reason.startswith("at step 60, beyond where")


@pytest.mark.parametrize("first", [W0, W1])
def test_a_worker_that_is_done_does_not_hold_the_end_of_a_control_up(play: Callable[..., Play], first: str) -> None:
    job = play()
    job.conductor.most_steps = 60
    job.come_up()
    done, held = (events.Done, W0, 50), (events.Waiting, W1, 60)
    assert job.on(*(done if first == W0 else held)) == []
    assert job.on(*(held if first == W0 else done))[0].outcome == "stopped"


def test_who_waits_for_a_worker_that_the_harness_holds_is_not_hung_for_that(play: Callable[..., Play]) -> None:
    job = play()
    job.conductor.most_steps = 60
    job.come_up()
    job.on(events.Waiting, W1, 60, t=2.0)
    assert job.conductor.tick(32.0) == [Credit(W1, None)]
    assert job.conductor.tick(61.9) == []
    assert job.conductor.tick(62.0) == [Snapshot(role) for role in ALL]


def trained_elsewhere(plan_of: Callable[..., Plan], tmp_path: Path) -> Play:
    """A job of `dist_sync` whose workers have trained with a kvstore of their own each."""
    (tmp_path / "train.py").write_text("")
    text = f"title: t\nworkload: {{script: {tmp_path / 'train.py'}}}\ntopology: {{kvstore: dist_sync, workers: 2}}\n"
    job = Play(plan_of(text))
    job.come_up()
    for worker in (W0, W1):
        job.on(events.Recognised, worker, {"kvstore": "local"})
        job.on(events.Done, worker, 40, t=2.0)
    return job


def test_a_script_that_trains_without_the_servers_of_its_topology_is_told_so(
    plan_of: Callable[..., Plan], tmp_path: Path
) -> None:
    """Servers and scheduler wait for workers that never ask: nothing that MXNet did."""
    job = trained_elsewhere(plan_of, tmp_path)
    assert job.leave(W0, W1, t=3.0) == []
    assert job.conductor.tick(5.9) == []  # servers that were asked leave by themselves
    (ended, _) = job.conductor.tick(6.0)
    assert (ended.outcome, ended.stage) == ("aborted", "")
    assert ended.reason.startswith("the script trains with kvstore local, each worker by itself")


def test_so_is_one_whose_workers_do_not_leave(plan_of: Callable[..., Plan], tmp_path: Path) -> None:
    job = trained_elsewhere(plan_of, tmp_path)
    (ended, _) = job.conductor.tick(60.0)
    assert ended.reason.startswith("the script trains with kvstore local, each worker by itself")


@pytest.mark.parametrize(
    ("failed", "left", "outcome", "reason"),
    [
        (None, {"status": 4}, "crashed", "worker/1 ended with exit status 4 before all were ready"),
        (None, {"status": None, "signal": 15}, "crashed", "worker/1 ended with signal 15 before all were ready"),
        (None, {"status": None, "signal": 11}, "refused", "worker/1 ended with signal 11 before all were ready"),
        (
            None,
            {"status": 0},
            "crashed",
            "worker/1 ended with exit status 0 before all were ready; it left by itself, as by exec, or closed what it "
            "is heard by",
        ),
        (
            ("MXNetError: no such operator", True),
            {"status": 1},
            "refused",
            "worker/1 ended with exit status 1 before all were ready: MXNetError: no such operator",
        ),
    ],
)
def test_a_script_that_ends_before_the_start_has_ended_itself(
    script: Callable[..., Play],
    failed: tuple[str, bool] | None,
    left: dict[str, int | None],
    outcome: str,
    reason: str,
) -> None:
    job = script(None)
    job.conductor.begin()
    job.imports(W0)
    job.imports(W1)
    if failed is not None:
        job.on(events.Failed, W1, failed[0], False, failed[1], 0)
    ended, *_ = job.leave(W1, **left)
    assert (ended.outcome, ended.reason) == (outcome, reason)


@pytest.mark.parametrize(
    ("error", "outcome"),
    [
        ("SyntaxError: invalid syntax", "crashed"),
        ("ModuleNotFoundError: No module named 'pandas'", "crashed"),
        ("ModuleNotFoundError: No module named 'mxnet'", "aborted"),
        ("ImportError: libmxnet.so: no libcudart.so.11.0", "aborted"),
        ("ValueError: mxnet", "crashed"),
    ],
)
def test_a_script_that_fails_before_it_imports_mxnet_has_failed_by_itself(
    script: Callable[..., Play], error: str, outcome: str
) -> None:
    job = script(None)
    job.conductor.begin()
    job.on(events.Failed, W1, error, False, False, 0)
    ended, *_ = job.leave(W1, status=1)
    assert ended.outcome == outcome
    assert error in ended.reason


def test_what_swallows_a_fault_and_fails_by_itself_has_not_ended_as_planned(play: Callable[..., Play]) -> None:
    job = play({"exit": {"select": {"role": "worker", "rank": 1}, "at": {"step": 30}}})
    job.come_up()
    job.on(events.Waiting, W1, 30)
    job.on(events.Failed, W1, "ValueError: a bug", False, False, 45)
    ended, *_ = job.leave(W1, status=1)
    assert (ended.outcome, ended.reason) == (
        "crashed",
        "worker/1 ended with exit status 1 at step 45: ValueError: a bug",
    )


def of_a_script(plan_of: Callable[..., Plan], tmp_path: Path) -> Play:
    """A job of `dist_async` whose workers have begun."""
    (tmp_path / "train.py").write_text("")
    workload = f"workload: {{script: {tmp_path / 'train.py'}, steps: 60}}"
    job = Play(plan_of(f"title: t\n{workload}\ntopology: {{kvstore: dist_async, workers: 2}}\n"))
    job.come_up()
    return job


def test_a_worker_that_took_fewer_steps_by_itself_is_named(plan_of: Callable[..., Plan], tmp_path: Path) -> None:
    job = of_a_script(plan_of, tmp_path)
    job.on(events.Done, W1, 20)
    job.leave(W1, t=2.0)
    job.on(events.Done, W0, 60)
    (ended, _) = job.leave(W0, *ALL[:2], t=3.0)
    assert (ended.outcome, ended.reason) == (
        "completed",
        "2 of 2 workers trained 60 steps (worker/1 20, by the script's own end) and every process left",
    )


def test_so_it_is_where_others_wait_for_it(plan_of: Callable[..., Plan], tmp_path: Path) -> None:
    job = of_a_script(plan_of, tmp_path)
    job.on(events.Done, W1, 20)
    job.leave(W1, t=2.0)
    job.on(events.Window, W0, 20, 10, 0.1, t=3.0)
    job.conductor.tick(33.0)
    (ended, _) = job.conductor.tick(60.0)
    assert (
        ended.reason == "nothing moved for 30.0 s: worker/0 at step 30; worker/1 had ended by itself after 20 steps; "
        "last to move was worker/0"
    )
