"""Topologies: which processes a job has, with their environment, and what cannot work. One file each."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal

from pydantic import BeforeValidator, Field, create_model

from harness.base import registry
from harness.base.errors import RegistryError
from harness.base.strict import Flag, Strict
from harness.vocabulary.job_bounds import Refusal
from harness.vocabulary.network_spec import NetworkSpec

Kvstore = Literal["none", "local", "device", "nccl", "dist_sync", "dist_async", "dist_device_sync"]
MAX_PROCESSES = 64
Count = Annotated[int, Field(ge=1, le=MAX_PROCESSES, strict=True)]
Context = Annotated[str, Field(pattern=r"^(cpu|gpu)\((0|[1-9]\d?)\)$")]


class Compression(Strict):
    """Gradients in two bits each, with what that loses added to the next (`src/kvstore/gradient_compression.cc`)."""

    type: Literal["2bit"] = "2bit"
    threshold: Annotated[float, Field(gt=0, strict=True)] = 0.5


def _compression(value: Any) -> Any:
    return {"type": value} if isinstance(value, str) else value


class TopologySpec(Strict):
    """The ``topology:`` of a scenario."""

    kvstore: Kvstore = Field(default="none", description="how workers or contexts share gradients")
    workers: Count = 1
    servers: Count | None = Field(default=None, description="server processes; 1 unless given")
    contexts: Annotated[list[Context], Field(min_length=1, max_length=MAX_PROCESSES)] = Field(
        default=["cpu(0)"], description="devices of each worker; a batch is split among them"
    )
    own_gpus: Flag = Field(
        default=False,
        description="each worker has GPUs of its own: gpu(0) of worker/1 is the next one of the machine",
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
    network: NetworkSpec | None = Field(
        default=None, description="hosts and links of a pocket cluster; loopback without"
    )


@dataclass(frozen=True)
class Endpoint:
    """Where a role runs: host, IPv4 address, network interface."""

    host: str
    address: str
    interface: str


LOOPBACK = Endpoint("localhost", "127.0.0.1", "lo")


NODE_PORT = "HARNESS_NODE_PORT"
"""The variable from which a worker archive takes the port that ps-lite binds, unseen by scripts."""


class Role(Strict):
    """One process: its name, its host if it has one, and what its environment adds.

    ``{port}`` in it is filled in when the run starts, and ``{own_port}``, which rises from role to role. A ``service``
    is ended when no worker is left.
    """

    name: str
    env: dict[str, str] = {}
    host: str = ""
    service: bool = False

    @property
    def is_worker(self) -> bool:
        """Whether it trains."""
        return self.name.startswith("worker/")

    @property
    def is_server(self) -> bool:
        """Whether it is a server of ps-lite."""
        return self.name.startswith("server/")


@dataclass(frozen=True)
class Exchange:
    """Between whom gradients are exchanged, and how: the number of workers, and the worker's way to new weights.

    With ``splits_batches`` each worker holds a copy of the network on every context, and gives each a part of a batch.
    """

    workers: int
    loop: Literal["trainer", "push_pull", "horovod"]
    splits_batches: bool
    horovod_compression: Literal["none", "fp16"] = "none"


class Topology(ABC):
    """Base of all topologies."""

    name: ClassVar[str]
    settings: ClassVar[type[Strict] | None] = None
    """What a scenario gives under the topology's name, and so asks for it; None where `serves` decides."""
    elastic: ClassVar[bool] = True
    """Whether a process that comes back may join again, as far as the topology has a say."""

    @classmethod
    def serves(cls, spec: TopologySpec) -> bool:
        """Whether this is the topology that the spec asks for; those whose settings are given come first."""
        return cls.settings is not None and getattr(spec, cls.name, None) is not None

    @staticmethod
    def exchange(spec: TopologySpec) -> Exchange:
        """Between whom gradients are exchanged, and how."""
        return Exchange(spec.workers, spec.loop, splits_batches=spec.parallelism == "data")

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
    parts = sorted(all_topologies().values(), key=lambda part: part.settings is None)
    return next(part for part in parts if part.serves(spec))


def all_topologies() -> dict[str, type[Topology]]:
    """Every topology there is, by name."""
    return registry.load(__name__, Topology)


def topology_model() -> type[TopologySpec]:
    """A spec with a field for each topology that has settings of its own; RegistryError where the name is taken."""
    fields: dict[str, Any] = {}
    for name, part in all_topologies().items():
        if part.settings is not None and name in TopologySpec.model_fields:
            raise RegistryError(f"{part.__module__}: topology.{name} is a field already; give the part another name")
        if part.settings is not None:
            fields[name] = (part.settings | None, Field(default=None, description=part.settings.__doc__))
    return create_model("TopologySpec", __base__=TopologySpec, __doc__=TopologySpec.__doc__, **fields)


BIGARRAY_BOUND = "MXNET_KVSTORE_BIGARRAY_BOUND"


def variables(spec: TopologySpec) -> set[str]:
    """Environment variables that the topology decides."""
    roles = find(spec).roles(spec, lambda _: LOOPBACK)
    bound = set() if spec.bigarray_bound is None else {BIGARRAY_BOUND}
    return bound.union(*(role.env for role in roles))


def refusals(spec: TopologySpec) -> Iterator[Refusal]:
    """Why a spec cannot work: what holds everywhere, then what its topology says."""
    names = find(spec).names(spec)
    chosen = [name for name, part in all_topologies().items() if part.settings is not None and part.serves(spec)]
    if len(chosen) > 1:
        yield (chosen[1],), f"a job has one topology; give one of {', '.join(chosen)}"
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
