"""Horovod over Gloo: ranks that find one another through a rendezvous server (`horovod/runner/gloo_run.py`)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import ClassVar, Literal

from pydantic import Field

from harness.base.strict import Strict
from harness.base.units import Duration, Size
from harness.topologies import Count, Endpoint, Exchange, Role, Topology, TopologySpec, given, ranked
from harness.vocabulary.job_bounds import Refusal

_OF_KVSTORES = (
    "kvstore", "workers", "servers", "own_gpus", "parallelism", "loop", "update_on_kvstore", "compression",
    "bigarray_bound", "van",
)  # fmt: skip


class HorovodSpec(Strict):
    """Horovod in place of a kvstore: ranks that sum gradients among themselves, over Gloo on CPU."""

    ranks: Count
    compression: Literal["none", "fp16"] = "none"
    fusion_threshold: Size | None = Field(default=None, description="HOROVOD_FUSION_THRESHOLD; Horovod's is 128 MiB")
    cycle_time: Duration | None = Field(default=None, gt=0, description="HOROVOD_CYCLE_TIME; Horovod's is 1 ms")
    stall_check: Duration | None = Field(
        default=None, description="HOROVOD_STALL_CHECK_TIME_SECONDS, in whole seconds; Horovod's is 60 s"
    )
    stall_shutdown: Duration | None = Field(
        default=None, description="HOROVOD_STALL_SHUTDOWN_TIME_SECONDS, in whole seconds; Horovod's is never"
    )


class Horovod(Topology):
    """A rendezvous server, called scheduler, and workers. Without Horovod's own launcher, which hides exit codes."""

    name: ClassVar[str] = "horovod"
    settings: ClassVar[type[Strict] | None] = HorovodSpec
    elastic: ClassVar[bool] = False

    @staticmethod
    def exchange(spec: TopologySpec) -> Exchange:
        own = _own(spec)
        return Exchange(own.ranks, "horovod", splits_batches=False, horovod_compression=own.compression)

    @staticmethod
    def names(spec: TopologySpec) -> tuple[str, ...]:
        return ("scheduler", *ranked("worker", _own(spec).ranks))

    @staticmethod
    def roles(spec: TopologySpec, endpoint: Callable[[str], Endpoint]) -> tuple[Role, ...]:
        own = _own(spec)
        shared = {
            "HOROVOD_CONTROLLER": "gloo",
            "HOROVOD_CPU_OPERATIONS": "gloo",
            "HOROVOD_GLOO_RENDEZVOUS_ADDR": endpoint("scheduler").address,
            "HOROVOD_GLOO_RENDEZVOUS_PORT": "{port}",
            "HOROVOD_SIZE": str(own.ranks),
            **_settings(own),
        }
        ranks = _ranks(ranked("worker", own.ranks), endpoint)
        workers = [Role(name=name, env={**shared, **ranked_as}) for name, ranked_as in ranks.items()]
        meeting = {name: shared[name] for name in ("HOROVOD_GLOO_RENDEZVOUS_ADDR", "HOROVOD_GLOO_RENDEZVOUS_PORT")}
        return (Role(name="scheduler", env=meeting, service=True), *workers)

    @staticmethod
    def refusals(spec: TopologySpec) -> Iterator[Refusal]:
        own = _own(spec)
        for field in given(spec, *_OF_KVSTORES):
            yield (field,), "is for kvstores; with horovod, give its own settings or leave it out"
        if own.ranks > len(spec.contexts) and any(context.startswith("gpu") for context in spec.contexts):
            yield (
                ("contexts",),
                f"{own.ranks} ranks would share {', '.join(spec.contexts)}; NCCL takes one rank a GPU, so give as many",
            )
        check, shutdown = own.stall_check, own.stall_shutdown
        if any(time is not None and time != round(time) for time in (check, shutdown)):
            yield ("horovod",), "stall_check and stall_shutdown are read in whole seconds; give such"
        if shutdown is not None and 0 < shutdown < (60.0 if check is None else check):
            yield (
                ("horovod",),
                f"stall_shutdown {shutdown:g} s is ignored, since it is shorter than stall_check "
                "(horovod/common/stall_inspector.cc)",
            )


def _own(spec: TopologySpec) -> HorovodSpec:
    own = getattr(spec, Horovod.name)
    assert isinstance(own, HorovodSpec)
    return own


def _settings(spec: HorovodSpec) -> dict[str, str]:
    """Times in the units that Horovod reads: milliseconds for cycles, whole seconds for stalls."""
    values = {
        "HOROVOD_FUSION_THRESHOLD": spec.fusion_threshold,
        "HOROVOD_CYCLE_TIME": None if spec.cycle_time is None else f"{spec.cycle_time * 1e3:g}",
        "HOROVOD_STALL_CHECK_TIME_SECONDS": None if spec.stall_check is None else round(spec.stall_check),
        "HOROVOD_STALL_SHUTDOWN_TIME_SECONDS": None if spec.stall_shutdown is None else round(spec.stall_shutdown),
    }
    return {name: str(value) for name, value in values.items() if value is not None}


def _ranks(workers: tuple[str, ...], endpoint: Callable[[str], Endpoint]) -> dict[str, dict[str, str]]:
    """Ranks in all, on one host, and across hosts among those of the same local rank."""
    hosts: dict[str, list[str]] = {}
    for worker in workers:
        hosts.setdefault(endpoint(worker).host, []).append(worker)
    ranks = {}
    for rank, worker in enumerate(workers):
        there = hosts[endpoint(worker).host]
        local = there.index(worker)
        across = [name for name, others in hosts.items() if len(others) > local]
        ranks[worker] = {
            "HOROVOD_RANK": str(rank),
            "HOROVOD_LOCAL_RANK": str(local),
            "HOROVOD_LOCAL_SIZE": str(len(there)),
            "HOROVOD_CROSS_RANK": str(across.index(endpoint(worker).host)),
            "HOROVOD_CROSS_SIZE": str(len(across)),
            "HOROVOD_HOSTNAME": endpoint(worker).host,
            "HOROVOD_GLOO_IFACE": endpoint(worker).interface,
        }
    return ranks
