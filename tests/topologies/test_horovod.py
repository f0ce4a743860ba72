from __future__ import annotations

from typing import Any

import pytest

from harness import topologies
from harness.topologies import LOOPBACK, Endpoint, TopologySpec
from harness.topologies.horovod import Horovod


def _spec(**fields: Any) -> TopologySpec:
    return topologies.topology_model().model_validate({"horovod": {"ranks": 2}, **fields})


def test_a_rendezvous_server_and_ranks_on_one_host() -> None:
    assert topologies.find(_spec()) is Horovod
    roles = Horovod.roles(_spec(), lambda _: LOOPBACK)
    assert [(role.name, role.service) for role in roles] == [
        ("scheduler", True),
        ("worker/0", False),
        ("worker/1", False),
    ]
    assert roles[2].env == {
        "HOROVOD_CONTROLLER": "gloo",
        "HOROVOD_CPU_OPERATIONS": "gloo",
        "HOROVOD_GLOO_RENDEZVOUS_ADDR": "127.0.0.1",
        "HOROVOD_GLOO_RENDEZVOUS_PORT": "{port}",
        "HOROVOD_GLOO_IFACE": "lo",
        "HOROVOD_HOSTNAME": "localhost",
        "HOROVOD_SIZE": "2",
        "HOROVOD_RANK": "1",
        "HOROVOD_LOCAL_RANK": "1",
        "HOROVOD_LOCAL_SIZE": "2",
        "HOROVOD_CROSS_RANK": "0",
        "HOROVOD_CROSS_SIZE": "1",
    }


def test_ranks_across_hosts() -> None:
    hosts = {"scheduler": "s", "worker/0": "a", "worker/1": "a", "worker/2": "b"}
    roles = Horovod.roles(
        _spec(horovod={"ranks": 3}), lambda role: Endpoint(hosts[role], f"10.77.0.{ord(hosts[role])}", "eth0")
    )
    names = ("LOCAL_RANK", "LOCAL_SIZE", "CROSS_RANK", "CROSS_SIZE")
    numbers = {role.name: [role.env[f"HOROVOD_{name}"] for name in names] for role in roles[1:]}
    assert numbers == {
        "worker/0": ["0", "2", "0", "2"],
        "worker/1": ["1", "2", "0", "1"],
        "worker/2": ["0", "1", "1", "2"],
    }
    assert {role.env["HOROVOD_GLOO_IFACE"] for role in roles[1:]} == {"eth0"}


def test_settings_in_the_units_that_horovod_reads() -> None:
    settings = {"fusion_threshold": "64MiB", "cycle_time": "5ms", "stall_check": "2s", "stall_shutdown": "4s"}
    roles = Horovod.roles(_spec(horovod={"ranks": 2, **settings}), lambda _: LOOPBACK)
    assert roles[1].env["HOROVOD_FUSION_THRESHOLD"] == str(64 * 2**20)
    assert roles[1].env["HOROVOD_CYCLE_TIME"] == "5"
    assert roles[1].env["HOROVOD_STALL_CHECK_TIME_SECONDS"] == "2"
    assert roles[1].env["HOROVOD_STALL_SHUTDOWN_TIME_SECONDS"] == "4"


@pytest.mark.parametrize(
    ("fields", "field", "why"),
    [
        ({"kvstore": "dist_sync"}, "kvstore", "is for kvstores"),
        ({"workers": 2}, "workers", "is for kvstores"),
        ({"compression": "2bit"}, "compression", "is for kvstores"),
        ({"horovod": {"ranks": 2, "stall_shutdown": "30s"}}, "horovod", "30 s is ignored, since it is shorter"),
        ({"contexts": ["gpu(0)"]}, "contexts", "2 ranks would share gpu(0); NCCL takes one rank a GPU"),
        ({"horovod": {"ranks": 2, "stall_check": "1500ms"}}, "horovod", "are read in whole seconds"),
    ],
)
def test_what_cannot_work_is_refused_with_the_reason(fields: dict[str, Any], field: str, why: str) -> None:
    assert why in {path[0]: reason for path, reason in topologies.refusals(_spec(**fields))}[field]


def test_a_plain_one_is_not_refused() -> None:
    assert list(topologies.refusals(_spec(network={"bandwidth": "1gbit"}))) == []
    never = {"ranks": 2, "stall_check": "2s", "stall_shutdown": "0s"}
    assert list(topologies.refusals(_spec(horovod=never, contexts=["gpu(0)", "gpu(1)"]))) == []
