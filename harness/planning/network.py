"""Roles on hosts of a pocket cluster, and the links between them. Pure; the agent makes what is decided here.

Every host has one link, with a direction out of it and one into it, to a switch without limits of its own. A base
bandwidth and queue hold for each direction. A base latency is that from host to host: it is spent on the way out.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator, Sequence

from harness.base.strict import Strict
from harness.vocabulary.instructions import Direction, Host
from harness.vocabulary.network_spec import DirectionSpec, NetworkSpec

_SUBNET = ipaddress.ip_network("10.77.0.0/24")


class PlannedHost(Strict):
    """A host and what runs on it."""

    name: str
    address: str
    roles: tuple[str, ...]
    out: Direction
    in_: Direction


class Network(Strict):
    """The pocket cluster of a plan."""

    mtu: int
    hosts: tuple[PlannedHost, ...]

    def host_of(self, role: str) -> PlannedHost:
        """The host that a role runs on; StopIteration for a role that is none."""
        return next(host for host in self.hosts if role in host.roles)

    def named(self, name: str) -> PlannedHost:
        """The host of that name; StopIteration where there is none."""
        return next(host for host in self.hosts if host.name == name)

    def links(self) -> tuple[Host, ...]:
        """The hosts as an agent makes them."""
        return tuple(Host(host.name, host.address, host.out, host.in_) for host in self.hosts)


def lay_out(spec: NetworkSpec, roles: Sequence[str]) -> Network:
    """Hosts in the order of their first role; addresses fall by their first worker, as ps-lite gives ranks by them.

    Where a host has several workers, their ranks follow one another.
    """
    shared = {role: name for name, host in spec.hosts.items() for role in host.roles}
    of_role = {role: shared.get(role, own_host(role)) for role in roles}
    workers = [name for role, name in of_role.items() if role.startswith("worker/")]
    addresses = [*_SUBNET.hosts()][-2::-1]  # from .253, while all have three digits: they are compared as text
    given = dict(zip(dict.fromkeys([*workers, *of_role.values()]), map(str, addresses), strict=False))
    hosts = (_host(spec, name, given[name], roles) for name in dict.fromkeys(of_role.values()))
    return Network(mtu=spec.mtu, hosts=tuple(hosts))


def own_host(role: str) -> str:
    """The host of a role that shares none."""
    return role.replace("/", "-")


def _host(spec: NetworkSpec, name: str, address: str, roles: Sequence[str]) -> PlannedHost:
    given = spec.hosts.get(name)
    out, in_ = (given.out, given.in_) if given else (DirectionSpec(), DirectionSpec())
    return PlannedHost(
        name=name,
        address=address,
        roles=tuple(given.roles) if given else tuple(role for role in roles if own_host(role) == name),
        out=_direction(out, spec, spec.latency, spec.jitter),
        in_=_direction(in_, spec, 0.0, 0.0),
    )


def _direction(own: DirectionSpec, base: NetworkSpec, latency: float, jitter: float) -> Direction:
    return Direction(
        base.bandwidth if own.bandwidth is None else own.bandwidth,
        latency if own.latency is None else own.latency,
        jitter if own.jitter is None else own.jitter,
        base.queue if own.queue is None else own.queue,
    )


def violations(spec: NetworkSpec, roles: Sequence[str]) -> Iterator[tuple[tuple[str, ...], str]]:
    """What is wrong with the hosts, each with the path of its field below ``network``."""
    placed: dict[str, str] = {}
    for name, host in spec.hosts.items():
        for role in host.roles:
            if role not in roles:
                yield ("hosts", name), f"{role!r} is no role of this topology; there are {', '.join(roles)}"
            elif role in placed:
                yield ("hosts", name), f"{role} is on {placed[role]} already; a role has one host"
            placed.setdefault(role, name)
    for role in roles:
        if role not in placed and own_host(role) in spec.hosts:
            yield ("hosts", own_host(role)), f"{role} would have a host of this name; choose another, or list it there"
    if len(roles) > 1 and len({placed.get(role, role) for role in roles}) == 1:
        yield ("hosts",), "all roles are on one host, so that nothing crosses the network; leave network out"
    if any(link.jitter > link.latency for host in lay_out(spec, roles).hosts for link in (host.out, host.in_)):
        yield ("jitter",), "is larger than the latency that it varies; no packet arrives before it was sent"
