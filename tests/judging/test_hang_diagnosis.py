from __future__ import annotations

from collections.abc import Callable

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
    stack = Stack(9.0, "main", "worker/0", "ps::Van::Start", ["10.77.0.3:40 > 10.77.0.2:9100 ESTABLISHED"])
    (wait,) = hang_diagnosis.explain(plan_of(text).arms[0], [stack], {})
    assert (wait.doing, wait.peers) == ("waits for the scheduler to let it in", ["server/0"])
