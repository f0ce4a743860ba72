from __future__ import annotations

from harness import topologies
from harness.topologies import Role, TopologySpec
from harness.topologies.single import Single


def test_one_worker() -> None:
    spec = TopologySpec()
    assert topologies.find(spec) is Single
    assert Single.roles(spec) == (Role(name="worker/0"),)
    assert Single.refusal(spec) is None


def test_several_workers_need_a_kvstore() -> None:
    refusal = Single.refusal(TopologySpec(workers=2))
    assert refusal == ("workers", "2 workers need a kvstore; allowed are dist_sync, dist_async")


def test_servers_need_a_kvstore() -> None:
    refusal = Single.refusal(TopologySpec(servers=1))
    assert refusal is not None and refusal[0] == "servers"
