"""Who is on which host, at which address, behind which link."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from harness.planning import network
from harness.planning.network import NetworkSpec
from harness.vocabulary.instructions import Direction

ROLES = ("scheduler", "server/0", "worker/0", "worker/1")


def _spec(**fields: Any) -> NetworkSpec:
    return NetworkSpec.model_validate(fields)


def test_one_host_a_role_with_stable_addresses() -> None:
    made = network.lay_out(_spec(), ROLES)
    assert [(host.name, host.address, host.roles) for host in made.hosts] == [
        ("scheduler", "10.77.0.251", ("scheduler",)),
        ("server-0", "10.77.0.250", ("server/0",)),
        ("worker-0", "10.77.0.253", ("worker/0",)),
        ("worker-1", "10.77.0.252", ("worker/1",)),
    ]
    assert made.mtu == 9000
    assert made.hosts[0].out == made.hosts[0].in_ == Direction(None, 0.0, 0.0, 1000)


def test_latency_is_spent_on_the_way_out_and_bandwidth_holds_both_ways() -> None:
    made = network.lay_out(_spec(bandwidth="200mbit", latency="5ms", jitter="1ms", queue=50), ROLES)
    assert made.hosts[1].out == Direction(2e8, 0.005, 0.001, 50)
    assert made.hosts[1].in_ == Direction(2e8, 0.0, 0.0, 50)


def test_roles_may_share_a_host_that_has_a_link_of_its_own() -> None:
    hosts = {"left": ["worker/0", "worker/1"], "rack": {"roles": ["server/0"], "in": {"bandwidth": "50mbit"}}}
    made = network.lay_out(_spec(bandwidth="1gbit", hosts=hosts), ROLES)
    assert [(host.name, host.roles) for host in made.hosts] == [
        ("scheduler", ("scheduler",)),
        ("rack", ("server/0",)),
        ("left", ("worker/0", "worker/1")),
    ]
    assert made.host_of("worker/1").address == "10.77.0.253"
    assert (made.hosts[1].in_.bandwidth, made.hosts[1].out.bandwidth) == (5e7, 1e9)
    assert [host.name for host in made.links()] == ["scheduler", "rack", "left"]


def test_addresses_fall_by_workers_where_hosts_have_other_roles_too() -> None:
    made = network.lay_out(_spec(hosts={"a": ["server/0", "worker/1"]}), ROLES)
    assert (made.host_of("worker/0").address, made.host_of("worker/1").address) == ("10.77.0.253", "10.77.0.252")


@pytest.mark.parametrize(
    ("fields", "path", "message"),
    [
        (
            {"hosts": {"a": ["worker/7"]}},
            ("hosts", "a"),
            "'worker/7' is no role of this topology; there are scheduler,",
        ),
        ({"hosts": {"a": ["worker/0"], "b": ["worker/0"]}}, ("hosts", "b"), "worker/0 is on a already"),
        ({"hosts": {"worker-0": ["worker/1"]}}, ("hosts", "worker-0"), "worker/0 would have a host of this name"),
        ({"hosts": {"a": list(ROLES)}}, ("hosts",), "all roles are on one host"),
        ({"latency": "1ms", "jitter": "2ms"}, ("jitter",), "is larger than the latency that it varies"),
    ],
)
def test_what_is_wrong_has_a_place(fields: dict[str, Any], path: tuple[str, ...], message: str) -> None:
    refused = dict(network.violations(_spec(**fields), ROLES))
    assert message in refused[path], refused


def test_a_good_one_has_nothing_wrong() -> None:
    assert list(network.violations(_spec(hosts={"a": ["worker/0", "worker/1"]}, latency="1ms"), ROLES)) == []


@pytest.mark.parametrize("fields", [{"mtu": 100}, {"bandwidth": "0mbit"}, {"queue": 0}, {"hosts": {"A": ["worker/0"]}}])
def test_what_no_link_can_be_is_refused(fields: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        _spec(**fields)
