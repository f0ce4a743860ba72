"""ps-lite's parameter server: a scheduler, servers and workers as processes, found through ``DMLC_*`` variables."""

from __future__ import annotations

from typing import ClassVar

from harness.topologies import MAX_PROCESSES, Kvstore, Role, Topology, TopologySpec


class ParameterServer(Topology):
    """Scheduler, servers, workers on loopback. The scheduler's port is chosen when the run starts."""

    name: ClassVar[str] = "parameter_server"
    kvstores: ClassVar[tuple[Kvstore, ...]] = ("dist_sync", "dist_async")

    @staticmethod
    def roles(spec: TopologySpec) -> tuple[Role, ...]:
        shared = {
            "DMLC_PS_ROOT_URI": "127.0.0.1",
            "DMLC_PS_ROOT_PORT": "{port}",
            "DMLC_NODE_HOST": "127.0.0.1",
            "DMLC_NUM_WORKER": str(spec.workers),
            "DMLC_NUM_SERVER": str(spec.servers or 1),
        }
        names = ["scheduler", *_ranked("server", spec.servers or 1), *_ranked("worker", spec.workers)]
        return tuple(Role(name=name, env={**shared, "DMLC_ROLE": name.split("/")[0]}) for name in names)

    @staticmethod
    def refusal(spec: TopologySpec) -> tuple[str, str] | None:
        processes = 1 + spec.workers + (spec.servers or 1)
        if processes > MAX_PROCESSES:
            return "workers", f"{processes} processes in all; at most {MAX_PROCESSES} are allowed"
        return None


def _ranked(role: str, count: int) -> list[str]:
    return [f"{role}/{rank}" for rank in range(count)]
