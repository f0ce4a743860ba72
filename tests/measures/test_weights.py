from __future__ import annotations

from collections.abc import Callable

from harness.measures.weights import Weights
from harness.planning.plan import Plan
from harness.vocabulary.events import Digest


def test_equal_and_different_digests(plan_of: Callable[..., Plan]) -> None:
    measure = Weights(plan_of().arms[0])
    measure.add(Digest(1.0, "main", "worker/0", 100, "cpu(0)", "a" * 64, ""))
    (silent,) = measure.quantities()
    assert (silent.value, silent.note) == (None, "worker/1 reported no weights")
    measure.add(Digest(1.0, "main", "worker/1", 100, "cpu(0)", "a" * 64, "other"))
    (same,) = measure.quantities()
    assert (same.value, same.n, same.note) == (1, 2, "a" * 64)
    measure.add(Digest(1.0, "main", "worker/1", 100, "cpu(0)", "b" * 64, ""))
    (different,) = measure.quantities()
    assert (different.value, different.note) == (2, "worker/0 aaaaaaaaaaaa, worker/1 bbbbbbbbbbbb")


def test_contexts_of_one_worker_are_told_apart(plan_of: Callable[..., Plan]) -> None:
    text = "title: q\nworkload: {model: mlp, steps: 20}\ntopology: {kvstore: local, contexts: [cpu(0), cpu(1)]}\n"
    measure = Weights(plan_of(text).arms[0])
    measure.add(Digest(1.0, "main", "worker/0", 20, "cpu(0)", "a" * 64, ""))
    measure.add(Digest(1.0, "main", "worker/0", 20, "cpu(1)", "b" * 64, ""))
    (different,) = measure.quantities()
    assert different.value == 2
    assert different.note == "worker/0 on cpu(0) aaaaaaaaaaaa, worker/0 on cpu(1) bbbbbbbbbbbb"
