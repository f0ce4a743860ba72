from __future__ import annotations

from collections.abc import Callable

import pytest

from harness.judging import hang_diagnosis
from harness.planning.plan import Plan
from harness.vocabulary.events import Stack

PULL = "Python v3.11.7\n\n\npthread_cond_wait\nmxnet::engine::ThreadedEngine::WaitForVar (mxnet/libmxnet.so)"


def test_frames_become_words_and_ports_become_roles(plan_of: Callable[..., Plan]) -> None:
    stacks = [
        Stack(9.0, "main", "scheduler", "ps::Postoffice::Finalize", ["127.0.0.1:9100 LISTEN"]),
        Stack(9.0, "main", "worker/0", PULL, ["127.0.0.1:40 > 127.0.0.1:9100 ESTABLISHED"]),
        Stack(9.0, "main", "server/0", "py-spy did not finish", []),
    ]
    scheduler, worker, server = hang_diagnosis.explain(plan_of().arms[0], stacks, {"worker/1": "is gone"})
    assert scheduler.doing == "waits at the exit barrier for all others to leave (worker/1 is gone)"
    assert (worker.function, worker.peers) == ("ThreadedEngine::WaitForVar", ["scheduler"])
    assert "pulls of weights that the servers have not answered (worker/1 is gone)" in worker.doing
    assert server.doing == "cannot be looked into"


def test_addresses_become_the_roles_of_their_host(plan_of: Callable[..., Plan]) -> None:
    text = "title: q\nworkload: {model: mlp, steps: 20}\ntopology: {kvstore: dist_sync, workers: 2, network: {}}\n"
    stack = Stack(9.0, "main", "worker/0", "ps::Van::Start", ["10.77.0.253:40 > 10.77.0.250:9100 ESTABLISHED"])
    (wait,) = hang_diagnosis.explain(plan_of(text).arms[0], [stack], {})
    assert (wait.doing, wait.peers) == ("waits for the scheduler to let it in", ["server/0"])


def _doing(plan: Plan, subject: str, text: str) -> tuple[str, str]:
    (process,) = hang_diagnosis.explain(plan.arms[0], [Stack(9.0, "main", subject, text, [])], {})
    return process.function, process.doing


@pytest.mark.parametrize(
    ("subject", "text", "function", "doing"),
    [
        ("scheduler", "ps::Van::Start", "ps::Van::Start", "waits for all workers and servers to come"),
        ("server/0", "ps::Van::Start", "ps::Van::Start", "waits for the scheduler to let it in"),
        ("worker/0", "ps::Postoffice::Barrier", "ps::Postoffice::Barrier", "waits at a barrier for all others"),
        ("worker/0", "somewhere", "", "stands somewhere that is not known"),
        ("worker/0", "Error: gone\nps::Van::Start", "ps::Van::Start", "cannot be looked into"),
        ("worker/0", "fine\nError in a later line", "", "stands somewhere that is not known"),
        (
            "worker/0",
            "ThreadedEngine::WaitForAll",
            "ThreadedEngine::WaitForAll",
            "waits for operations that do not finish: pulls of weights that the servers have not answered",
        ),
    ],
)
def test_each_frame_has_its_words(
    plan_of: Callable[..., Plan], subject: str, text: str, function: str, doing: str
) -> None:
    assert _doing(plan_of(), subject, text) == (function, doing)


def test_an_array_is_waited_for_otherwise_with_horovod_and_in_one_process(plan_of: Callable[..., Plan]) -> None:
    text = "title: q\nworkload: {{model: mlp, steps: 20}}\ntopology: {}\n"
    horovod = plan_of(text.format("{horovod: {ranks: 2}}"))
    waits = "waits for an array that no operation has finished"
    name = "ThreadedEngine::WaitForVar"
    assert _doing(horovod, "worker/0", name) == (name, f"{waits}: gradients that other ranks have not sent")
    alone = plan_of("title: q\nworkload: {model: mlp, steps: 20}\n")
    assert _doing(alone, "worker/0", name) == (name, waits)


def test_who_is_absent_is_named_where_something_is_known(plan_of: Callable[..., Plan]) -> None:
    absent = {"worker/1": "is gone", "server/0": "was not started"}
    arm = plan_of().arms[0]
    stacks = [Stack(9.0, "main", role, text, []) for role, text in (("worker/0", "ps::Van::Start"), ("scheduler", "?"))]
    known, unknown = hang_diagnosis.explain(arm, stacks, absent)
    assert known.doing.endswith(" (worker/1 is gone, server/0 was not started)")
    assert (unknown.doing, known.arm, known.role) == ("stands somewhere that is not known", "main", "worker/0")


def test_peers_are_sorted_and_told_once_and_nobody_is_a_peer_of_itself(plan_of: Callable[..., Plan]) -> None:
    stacks = [
        Stack(9.0, "main", "server/0", "", ["127.0.0.1:9200 LISTEN", "127.0.0.1:9201 LISTEN"]),
        Stack(9.0, "main", "scheduler", "", ["127.0.0.1:9100 LISTEN"]),
        Stack(
            9.0,
            "main",
            "worker/0",
            "",
            [
                "127.0.0.1:9300 LISTEN",
                "127.0.0.1:41 > 127.0.0.1:9201 ESTABLISHED",
                "127.0.0.1:40 > 127.0.0.1:9200 ESTABLISHED",
                "127.0.0.1:42 > 127.0.0.1:9100 ESTABLISHED",
                "127.0.0.1:43 > 127.0.0.1:9300 ESTABLISHED",
                "127.0.0.1:44 > 127.0.0.1:5 ESTABLISHED",
            ],
        ),
    ]
    assert hang_diagnosis.explain(plan_of().arms[0], stacks, {})[2].peers == ["scheduler", "server/0"]
