from __future__ import annotations

import pytest

from harness import topologies
from harness.topologies import TopologySpec
from harness.topologies.parameter_server import ParameterServer


@pytest.mark.parametrize("kvstore", ["dist_sync", "dist_async"])
def test_it_serves_the_dist_kvstores(kvstore: str) -> None:
    assert topologies.find(TopologySpec.model_validate({"kvstore": kvstore})) is ParameterServer


def test_scheduler_servers_and_workers_with_their_environment() -> None:
    roles = ParameterServer.roles(TopologySpec(kvstore="dist_sync", workers=2, servers=2))
    assert [role.name for role in roles] == ["scheduler", "server/0", "server/1", "worker/0", "worker/1"]
    assert roles[2].env == {
        "DMLC_ROLE": "server",
        "DMLC_PS_ROOT_URI": "127.0.0.1",
        "DMLC_PS_ROOT_PORT": "{port}",
        "DMLC_NODE_HOST": "127.0.0.1",
        "DMLC_NUM_WORKER": "2",
        "DMLC_NUM_SERVER": "2",
    }
    assert [role.is_worker for role in roles] == [False, False, False, True, True]


def test_one_server_unless_given() -> None:
    roles = ParameterServer.roles(TopologySpec(kvstore="dist_sync", workers=1))
    assert [role.name for role in roles] == ["scheduler", "server/0", "worker/0"]


def test_too_many_processes_are_refused() -> None:
    spec = TopologySpec(kvstore="dist_sync", workers=60, servers=4)
    assert ParameterServer.refusal(spec) == ("workers", "65 processes in all; at most 64 are allowed")
    assert ParameterServer.refusal(TopologySpec(kvstore="dist_sync", workers=60, servers=3)) is None
