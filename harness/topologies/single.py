"""One worker by itself, no kvstore."""

from __future__ import annotations

from typing import ClassVar

from harness.topologies import Kvstore, Role, Topology, TopologySpec


class Single(Topology):
    """One worker by itself."""

    name: ClassVar[str] = "single"
    kvstores: ClassVar[tuple[Kvstore, ...]] = ("none",)

    @staticmethod
    def roles(spec: TopologySpec) -> tuple[Role, ...]:
        return (Role(name="worker/0"),)

    @staticmethod
    def refusal(spec: TopologySpec) -> tuple[str, str] | None:
        if spec.workers > 1:
            return "workers", f"{spec.workers} workers need a kvstore; allowed are dist_sync, dist_async"
        if spec.servers is not None:
            return "servers", "there are no servers without a kvstore; leave it out or choose dist_sync or dist_async"
        return None
