"""Horovod over Gloo: ranks that find one another through a rendezvous server (`horovod/runner/gloo_run.py`)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import ClassVar

from harness.topologies import Endpoint, HorovodSpec, Role, Topology, TopologySpec, given, ranked
from harness.vocabulary.job_bounds import Refusal

_OF_KVSTORES = (
    "kvstore", "workers", "servers", "parallelism", "loop", "update_on_kvstore", "compression", "bigarray_bound", "van",
)  # fmt: skip


class Horovod(Topology):
    """A rendezvous server, called scheduler, and workers. Without Horovod's own launcher, which hides exit codes."""

    name: ClassVar[str] = "horovod"
    elastic: ClassVar[bool] = False

    @staticmethod
    def serves(spec: TopologySpec) -> bool:
        return spec.horovod is not None

    @staticmethod
    def names(spec: TopologySpec) -> tuple[str, ...]:
        return ("scheduler", *ranked("worker", spec.trainers))

    @staticmethod
    def roles(spec: TopologySpec, endpoint: Callable[[str], Endpoint]) -> tuple[Role, ...]:
        assert spec.horovod is not None
        shared = {
            "HOROVOD_CONTROLLER": "gloo",
            "HOROVOD_CPU_OPERATIONS": "gloo",
            "HOROVOD_GLOO_RENDEZVOUS_ADDR": endpoint("scheduler").address,
            "HOROVOD_GLOO_RENDEZVOUS_PORT": "{port}",
            "HOROVOD_SIZE": str(spec.horovod.ranks),
            **_settings(spec.horovod),
        }
        ranks = _ranks(ranked("worker", spec.horovod.ranks), endpoint)
        workers = [Role(name=name, env={**shared, **own}) for name, own in ranks.items()]
        return (Role(name="scheduler", env={"HOROVOD_GLOO_RENDEZVOUS_PORT": "{port}"}, service=True), *workers)

    @staticmethod
    def refusals(spec: TopologySpec) -> Iterator[Refusal]:
        assert spec.horovod is not None
        for field in given(spec, *_OF_KVSTORES):
            yield (field,), "is for kvstores; with horovod, give its own settings or leave it out"
        check, shutdown = spec.horovod.stall_check, spec.horovod.stall_shutdown
        if any(time is not None and time != round(time) for time in (check, shutdown)):
            yield ("horovod",), "stall_check and stall_shutdown are read in whole seconds; give such"
        if shutdown is not None and 0 < shutdown < (60.0 if check is None else check):
            yield (
                ("horovod",),
                f"stall_shutdown {shutdown:g} s is ignored, since it is shorter than stall_check "
                "(horovod/common/stall_inspector.cc)",
            )


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
