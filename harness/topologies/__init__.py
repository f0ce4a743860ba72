"""Topologies: which processes a job has, with their environment, and what cannot work. One file each."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal

from pydantic import BeforeValidator, Field

from harness.base import registry
from harness.base.strict import Flag, Strict
from harness.base.units import Duration, Size
from harness.vocabulary.job_bounds import Refusal
from harness.vocabulary.network_spec import NetworkSpec

Kvstore = Literal["none", "local", "device", "nccl", "dist_sync", "dist_async", "dist_device_sync"]
MAX_PROCESSES = 64
Count = Annotated[int, Field(ge=1, le=MAX_PROCESSES, strict=True)]
Context = Annotated[str, Field(pattern=r"^(cpu|gpu)\(\d{1,2}\)$")]


class Compression(Strict):
    """Gradients in two bits each, with what that loses added to the next (`src/kvstore/gradient_compression.cc`)."""

    type: Literal["2bit"] = "2bit"
    threshold: Annotated[float, Field(gt=0, strict=True)] = 0.5


def _compression(value: Any) -> Any:
    return {"type": value} if isinstance(value, str) else value


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


class TopologySpec(Strict):
    """The ``topology:`` of a scenario."""

    kvstore: Kvstore = Field(default="none", description="how workers or contexts share gradients")
    workers: Count = 1
    servers: Count | None = Field(default=None, description="server processes; 1 unless given")
    contexts: Annotated[list[Context], Field(min_length=1, max_length=MAX_PROCESSES)] = Field(
        default=["cpu(0)"], description="devices of each worker; a batch is split among them"
    )
    parallelism: Literal["data", "model"] = Field(
        default="data", description="model: parts of the network on different contexts (group2ctx)"
    )
    loop: Literal["trainer", "push_pull"] = Field(
        default="trainer",
        description="gluon.Trainer, or a push and a pull for each key with the optimizer on the kvstore",
    )
    update_on_kvstore: Flag | None = Field(
        default=None, description="where the optimizer runs; MXNet's choice if left out"
    )
    compression: Annotated[Compression | None, BeforeValidator(_compression)] = None
    bigarray_bound: Annotated[int, Field(ge=1, strict=True)] | None = Field(
        default=None,
        description="MXNET_KVSTORE_BIGARRAY_BOUND: larger arrays are split among servers; MXNet's is 1000000",
    )
    van: Literal["zmq", "p3"] = Field(default="zmq", description="ps-lite's transport; p3 sends by priority, in slices")
    horovod: HorovodSpec | None = None
    network: NetworkSpec | None = Field(
        default=None, description="hosts and links of a pocket cluster; loopback without"
    )

    @property
    def trainers(self) -> int:
        """Processes that train."""
        return self.horovod.ranks if self.horovod else self.workers

    @property
    def splits_batches(self) -> bool:
        """Whether each worker holds a copy of the network on every context, and gives each a part of the batch."""
        return self.parallelism == "data" and self.horovod is None


@dataclass(frozen=True)
class Endpoint:
    """Where a role runs: host, IPv4 address, network interface."""

    host: str
    address: str
    interface: str


LOOPBACK = Endpoint("localhost", "127.0.0.1", "lo")


class Role(Strict):
    """One process: its name, its host if it has one, and what its environment adds.

    ``{port}`` in it is filled in when the run starts. A ``service`` is ended when no worker is left.
    """

    name: str
    env: dict[str, str] = {}
    host: str = ""
    service: bool = False

    @property
    def is_worker(self) -> bool:
        """Whether it trains."""
        return self.name.startswith("worker/")


class Topology(ABC):
    """Base of all topologies."""

    name: ClassVar[str]
    elastic: ClassVar[bool] = True
    """Whether a process that comes back may join again, as far as the topology has a say."""

    @staticmethod
    @abstractmethod
    def serves(spec: TopologySpec) -> bool:
        """Whether this is the topology that the spec asks for."""

    @staticmethod
    @abstractmethod
    def names(spec: TopologySpec) -> tuple[str, ...]:
        """Every role in the order of starting."""

    @staticmethod
    @abstractmethod
    def roles(spec: TopologySpec, endpoint: Callable[[str], Endpoint]) -> tuple[Role, ...]:
        """Every process in the order of starting; ``endpoint`` tells where a role runs."""

    @staticmethod
    @abstractmethod
    def refusals(spec: TopologySpec) -> Iterator[Refusal]:
        """Say why a spec cannot work, with the field that makes it so."""


def find(spec: TopologySpec) -> type[Topology]:
    """The topology that a spec asks for."""
    return next(part for part in all_topologies().values() if part.serves(spec))


def all_topologies() -> dict[str, type[Topology]]:
    """Every topology there is, by name."""
    return registry.load(__name__, Topology)


BIGARRAY_BOUND = "MXNET_KVSTORE_BIGARRAY_BOUND"


def variables(spec: TopologySpec) -> set[str]:
    """Environment variables that the topology decides."""
    roles = find(spec).roles(spec, lambda _: LOOPBACK)
    bound = set() if spec.bigarray_bound is None else {BIGARRAY_BOUND}
    return bound.union(*(role.env for role in roles))


def refusals(spec: TopologySpec) -> Iterator[Refusal]:
    """Why a spec cannot work: what holds everywhere, then what its topology says."""
    names = find(spec).names(spec)
    if len(names) > MAX_PROCESSES:
        yield ("workers",), f"{len(names)} processes in all; at most {MAX_PROCESSES} are allowed"
    if len(set(spec.contexts)) < len(spec.contexts):
        yield ("contexts",), f"{', '.join(spec.contexts)}: a context is given twice"
    if spec.network is not None and len(names) == 1:
        yield ("network",), "one process has nobody to talk to; leave it out"
    yield from find(spec).refusals(spec)


def ranked(role: str, count: int) -> tuple[str, ...]:
    """``worker/0``, ``worker/1`` and so on."""
    return tuple(f"{role}/{rank}" for rank in range(count))


def given(spec: TopologySpec, *fields: str) -> list[str]:
    """Those of the fields that the scenario set to something other than their default."""
    return [name for name in fields if getattr(spec, name) != TopologySpec.model_fields[name].default]
