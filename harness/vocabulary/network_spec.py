"""The ``network:`` of a topology as people write it: hosts and the links between them."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from harness.base.strict import Strict
from harness.base.units import Bandwidth, Duration

PORT = 9000
"""Hosts of a pocket cluster have all ports to themselves."""

HostName = Annotated[str, Field(pattern=r"^[a-z][a-z0-9-]{0,30}$")]
QueueInt = Annotated[int, Field(ge=1, le=1_000_000, strict=True)]


class DirectionSpec(Strict):
    """What one direction of one host's link has of its own; the rest is the network's."""

    bandwidth: Bandwidth | None = Field(default=None, gt=0)
    latency: Duration | None = None
    jitter: Duration | None = None
    queue: QueueInt | None = None


def _roles(value: Any) -> Any:
    return {"roles": value} if isinstance(value, list) else value


class HostSpec(Strict):
    """The roles of one host, and its link where that differs. A list is short for ``roles``."""

    roles: Annotated[list[str], Field(min_length=1)]
    out: DirectionSpec = DirectionSpec()
    in_: DirectionSpec = Field(default=DirectionSpec(), alias="in")


class NetworkSpec(Strict):
    """The ``network:`` of a topology: properties of every link, and who shares a host."""

    bandwidth: Bandwidth | None = Field(default=None, gt=0, description="of each link in each direction")
    latency: Duration = Field(default=0.0, description="from one host to another, one way")
    jitter: Duration = Field(default=0.0, description="latency varies by as much, either way; packets keep their order")
    mtu: Annotated[int, Field(ge=576, le=65000, strict=True)] = Field(default=9000, description="bytes")
    queue: QueueInt = Field(default=1000, description="packets that may wait in each direction of a link")
    hosts: dict[HostName, Annotated[HostSpec, BeforeValidator(_roles)]] = Field(
        default={}, description="which roles share a host; a role that is not named has one to itself"
    )
