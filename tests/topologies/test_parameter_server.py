from __future__ import annotations

from typing import Any

import pytest

from harness import topologies
from harness.topologies import LOOPBACK, Endpoint, TopologySpec
from harness.topologies.parameter_server import ParameterServer


def _refused(**fields: Any) -> dict[str, str]:
    spec = TopologySpec(**{"kvstore": "dist_sync", "workers": 2, **fields})
    return {path[0]: reason for path, reason in topologies.refusals(spec)}


@pytest.mark.parametrize("kvstore", ["dist_sync", "dist_async", "dist_device_sync"])
def test_it_serves_the_dist_kvstores(kvstore: Any) -> None:
    assert topologies.find(TopologySpec(kvstore=kvstore)) is ParameterServer
    assert _refused(kvstore=kvstore) == {}


def test_scheduler_servers_and_workers_with_their_environment() -> None:
    spec = TopologySpec(kvstore="dist_sync", workers=2, servers=2)
    roles = ParameterServer.roles(spec, lambda _: LOOPBACK)
    assert [role.name for role in roles] == ["scheduler", "server/0", "server/1", "worker/0", "worker/1"]
    assert roles[2].env == {
        "DMLC_ROLE": "server",
        "DMLC_PS_ROOT_URI": "127.0.0.1",
        "DMLC_PS_ROOT_PORT": "{port}",
        "DMLC_NODE_HOST": "127.0.0.1",
        "DMLC_NUM_WORKER": "2",
        "DMLC_NUM_SERVER": "2",
        "HARNESS_NODE_PORT": "{own_port}",
    }
    assert "HARNESS_NODE_PORT" not in roles[0].env
    assert [role.is_worker for role in roles] == [False, False, False, True, True]


def test_each_process_says_where_it_is_and_knows_where_the_scheduler_is() -> None:
    spec = TopologySpec(kvstore="dist_sync", workers=1, van="p3", update_on_kvstore=False)
    addresses = {"scheduler": "10.77.0.1", "server/0": "10.77.0.2", "worker/0": "10.77.0.3"}
    roles = ParameterServer.roles(spec, lambda role: Endpoint(role, addresses[role], "eth0"))
    assert [role.env["DMLC_NODE_HOST"] for role in roles] == ["10.77.0.1", "10.77.0.2", "10.77.0.3"]
    assert {role.env["DMLC_PS_ROOT_URI"] for role in roles} == {"10.77.0.1"}
    assert {role.env["DMLC_PS_VAN_TYPE"] for role in roles} == {"p3"}


def test_workers_have_gpus_of_their_own() -> None:
    """Two each, which all of them call gpu(0) and gpu(1); servers see what there is."""
    spec = TopologySpec(kvstore="dist_sync", workers=3, contexts=["gpu(0)", "gpu(1)"], own_gpus=True)
    roles = ParameterServer.roles(spec, lambda _: LOOPBACK)
    seen = [role.env.get("CUDA_VISIBLE_DEVICES") for role in roles]
    assert seen == [None, None, "0,1", "2,3", "4,5"]
    assert "CUDA_VISIBLE_DEVICES" in topologies.variables(spec), "so that target.env may not give it, too"


@pytest.mark.parametrize("contexts", [["cpu(0)"], ["gpu(1)"], ["gpu(0)", "cpu(0)"], ["gpu(0)", "gpu(2)"]])
def test_own_gpus_are_counted_from_the_first(contexts: list[str]) -> None:
    assert "each worker counts its own GPUs" in _refused(contexts=contexts, own_gpus=True)["contexts"]


def test_one_server_unless_given() -> None:
    assert ParameterServer.names(TopologySpec(kvstore="dist_sync")) == ("scheduler", "server/0", "worker/0")


def test_too_many_processes_are_refused() -> None:
    assert _refused(workers=60, servers=4) == {"workers": "65 processes in all; at most 64 are allowed"}
    assert _refused(workers=60, servers=3) == {}


@pytest.mark.parametrize(
    ("fields", "field", "why"),
    [
        (
            {"compression": "2bit"},
            "compression",
            "Compression not supported with PushPull (src/kvstore/kvstore_dist.h:262)",
        ),
        ({"kvstore": "dist_async", "update_on_kvstore": False}, "update_on_kvstore", "refuses false with dist_async"),
        ({"loop": "push_pull", "update_on_kvstore": False}, "update_on_kvstore", "the optimizer on the servers"),
        ({"van": "p3"}, "van", "give update_on_kvstore: false"),
        ({"van": "p3", "kvstore": "dist_async"}, "van", "p3 cannot"),
        ({"van": "p3", "compression": "2bit", "loop": "push_pull"}, "compression", "p3 refuses compression"),
        ({"van": "p3", "loop": "push_pull"}, "loop", "p3 cannot run the optimizer on the servers"),
        ({"parallelism": "model", "contexts": ["cpu(0)", "cpu(1)"]}, "parallelism", "is within one process"),
    ],
)
def test_what_cannot_work_is_refused_with_the_reason(fields: dict[str, Any], field: str, why: str) -> None:
    assert why in _refused(**fields)[field]


def test_what_can_work_is_not_refused() -> None:
    assert _refused(van="p3", update_on_kvstore=False) == {}
    assert _refused(compression={"type": "2bit", "threshold": 0.1}, loop="push_pull") == {}
    assert _refused(update_on_kvstore=False, contexts=["cpu(0)", "cpu(1)"]) == {}
