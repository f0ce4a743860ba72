"""ps-lite's parameter server: a scheduler, servers and workers as processes, found through ``DMLC_*`` variables."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import ClassVar

from harness.gpu import visible
from harness.topologies import NODE_PORT, Endpoint, Role, Topology, TopologySpec, ranked
from harness.vocabulary.job_bounds import Refusal


class ParameterServer(Topology):
    """Scheduler, servers, workers. The scheduler's port is chosen when the run starts, and those of the others.

    ps-lite numbers workers, and servers, by address, the highest first, and by port, the lowest first
    (`Van::ProcessAddNodeCommandAtScheduler` in src/van.cc); with any ports ``kv.rank`` of worker/0 would be any.
    """

    name: ClassVar[str] = "parameter_server"

    @classmethod
    def serves(cls, spec: TopologySpec) -> bool:
        return spec.kvstore.startswith("dist")

    @staticmethod
    def names(spec: TopologySpec) -> tuple[str, ...]:
        return ("scheduler", *ranked("server", spec.servers or 1), *ranked("worker", spec.workers))

    @staticmethod
    def roles(spec: TopologySpec, endpoint: Callable[[str], Endpoint]) -> tuple[Role, ...]:
        shared = {
            "DMLC_PS_ROOT_URI": endpoint("scheduler").address,
            "DMLC_PS_ROOT_PORT": "{port}",
            "DMLC_NUM_WORKER": str(spec.workers),
            "DMLC_NUM_SERVER": str(spec.servers or 1),
        }
        if spec.van != "zmq":
            shared["DMLC_PS_VAN_TYPE"] = spec.van
        roles = (_role(name, shared, endpoint(name)) for name in ParameterServer.names(spec))
        return tuple(_with_own_gpus(role, len(spec.contexts)) if spec.own_gpus else role for role in roles)

    @staticmethod
    def refusals(spec: TopologySpec) -> Iterator[Refusal]:
        asynchronous = spec.kvstore == "dist_async"
        if spec.parallelism == "model":
            yield ("parallelism",), "parallelism: model is within one process; leave kvstore and workers out"
        if spec.compression is not None and spec.loop == "trainer":
            yield (
                ("compression",),
                "gluon.Trainer fails with compression on dist kvstores: Compression not supported with PushPull "
                "(src/kvstore/kvstore_dist.h:262); give loop: push_pull",
            )
        if asynchronous and spec.update_on_kvstore is False:
            yield (
                ("update_on_kvstore",),
                "gluon.Trainer refuses false with dist_async (python/mxnet/gluon/trainer.py, _init_kvstore)",
            )
        elif spec.loop == "push_pull" and spec.update_on_kvstore is False:
            yield ("update_on_kvstore",), "push_pull runs the optimizer on the servers; leave it out"
        if spec.own_gpus and visible.numbers(spec.contexts) != list(range(len(spec.contexts))):
            yield (
                ("contexts",),
                f"{', '.join(spec.contexts)}: with own_gpus each worker counts its own GPUs; give gpu(0), gpu(1)…",
            )
        if spec.van == "p3":
            yield from _p3(spec)


def _role(name: str, shared: dict[str, str], at: Endpoint) -> Role:
    own = {"DMLC_ROLE": name.split("/")[0], "DMLC_NODE_HOST": at.address}
    return Role(name=name, env={**shared, **own, **({} if name == "scheduler" else {NODE_PORT: "{own_port}"})})


def _with_own_gpus(role: Role, each: int) -> Role:
    """A worker sees so many GPUs that no other worker sees, which it calls gpu(0) and so on."""
    if not role.is_worker:
        return role
    first = int(role.name.split("/")[1]) * each
    seen = ",".join(map(str, range(first, first + each)))
    return role.model_copy(update={"env": {**role.env, visible.VARIABLE: seen}})


def _p3(spec: TopologySpec) -> Iterator[Refusal]:
    """What `src/kvstore/p3store_dist.h` checks."""
    if spec.kvstore == "dist_async":
        yield ("van",), "p3 cannot be asynchronous (src/kvstore/p3store_dist.h); give kvstore: dist_sync"
    if spec.compression is not None:
        yield ("compression",), "p3 refuses compression (src/kvstore/p3store_dist.h); leave one of them out"
    if spec.loop == "push_pull":
        yield ("loop",), "p3 cannot run the optimizer on the servers (src/kvstore/p3store_dist.h); give loop: trainer"
    elif spec.update_on_kvstore is not False:
        yield (
            ("van",),
            "p3 cannot run the optimizer on the servers, where MXNet runs it by default (src/kvstore/p3store_dist.h); "
            "give update_on_kvstore: false",
        )
