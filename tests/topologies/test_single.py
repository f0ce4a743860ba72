from __future__ import annotations

from typing import Any

import pytest

from harness import topologies
from harness.topologies import LOOPBACK, Role, TopologySpec
from harness.topologies.single import Single

TWO = ["cpu(0)", "cpu(1)"]


def _refused(**fields: Any) -> dict[str, str]:
    return {path[0]: reason for path, reason in topologies.refusals(TopologySpec(**fields))}


def test_one_worker() -> None:
    spec = TopologySpec()
    assert topologies.find(spec) is Single
    assert Single.roles(spec, lambda _: LOOPBACK) == (Role(name="worker/0"),)
    assert _refused() == {}


@pytest.mark.parametrize("kvstore", ["local", "device"])
@pytest.mark.parametrize("loop", ["trainer", "push_pull"])
def test_several_contexts_share_gradients_through_a_kvstore(kvstore: Any, loop: Any) -> None:
    assert topologies.find(TopologySpec(kvstore=kvstore)) is Single
    assert _refused(kvstore=kvstore, contexts=TWO, loop=loop) == {}


@pytest.mark.parametrize(
    ("fields", "field", "why"),
    [
        ({"workers": 2}, "workers", "2 workers need dist_sync, dist_async or dist_device_sync, or horovod"),
        ({"servers": 1}, "servers", "does nothing with kvstore none"),
        ({"van": "p3"}, "van", "does nothing with kvstore none"),
        ({"network": {}}, "network", "one process has nobody to talk to"),
        ({"contexts": TWO}, "contexts", "never summed (python/mxnet/gluon/trainer.py, _allreduce_grads)"),
        ({"contexts": ["cpu(0)", "cpu(0)"], "kvstore": "local"}, "contexts", "a context is given twice"),
        ({"compression": "2bit"}, "compression", "does nothing without a kvstore"),
        ({"update_on_kvstore": False}, "update_on_kvstore", "does nothing without a kvstore"),
        ({"kvstore": "local"}, "contexts", "MXNet creates no kvstore local for one context (python/mxnet/model.py"),
        ({"kvstore": "nccl", "contexts": TWO}, "kvstore", "nccl sums on GPUs only (src/kvstore/kvstore_nccl.h)"),
        ({"kvstore": "local", "contexts": TWO, "compression": "2bit"}, "compression", "set_gradient_compression"),
        (
            {"kvstore": "local", "contexts": TWO, "loop": "push_pull", "update_on_kvstore": False},
            "update_on_kvstore",
            "push_pull runs the optimizer on the kvstore",
        ),
        ({"parallelism": "model"}, "contexts", "needs two contexts or more"),
        (
            {"parallelism": "model", "contexts": TWO, "kvstore": "local"},
            "kvstore",
            "does nothing with parallelism: model",
        ),
    ],
)
def test_what_cannot_work_is_refused_with_the_reason(fields: dict[str, Any], field: str, why: str) -> None:
    refused = _refused(**fields)
    assert why in refused[field], refused


def test_device_takes_compression_and_gpus_take_nccl() -> None:
    assert _refused(kvstore="device", contexts=TWO, compression="2bit") == {}
    assert _refused(kvstore="nccl", contexts=["gpu(0)", "gpu(1)"]) == {}
    assert _refused(parallelism="model", contexts=TWO) == {}
