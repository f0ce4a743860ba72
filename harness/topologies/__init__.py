"""Topologies: which processes a job has, with their arguments and environment. One file each."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from harness import registry
from harness.strict import Strict

Kvstore = Literal["none", "dist_sync", "dist_async"]
MAX_PROCESSES = 64


class TopologySpec(Strict):
    """The ``topology:`` of a scenario."""

    kvstore: Kvstore = Field(default="none", description="how workers share gradients; none is one worker by itself")
    workers: Annotated[int, Field(ge=1, le=MAX_PROCESSES, strict=True)] = 1
    servers: Annotated[int, Field(ge=1, le=MAX_PROCESSES, strict=True)] | None = Field(
        default=None, description="server processes; 1 unless given"
    )


class Role(Strict):
    """One process: its name and what its environment adds. ``{port}`` is filled in when the run starts."""

    name: str
    env: dict[str, str] = {}

    @property
    def is_worker(self) -> bool:
        """Whether it trains."""
        return self.name.startswith("worker/")


class Topology(ABC):
    """Base of all topologies."""

    name: ClassVar[str]
    kvstores: ClassVar[tuple[Kvstore, ...]]

    @staticmethod
    @abstractmethod
    def roles(spec: TopologySpec) -> tuple[Role, ...]:
        """Every process in the order of starting."""

    @staticmethod
    @abstractmethod
    def refusal(spec: TopologySpec) -> tuple[str, str] | None:
        """The field that makes it impossible and why, or None."""


def find(spec: TopologySpec) -> type[Topology]:
    """The topology that serves the kvstore asked for."""
    parts = registry.load(__name__, Topology)  # type: ignore[type-abstract]
    return next(part for part in parts.values() if spec.kvstore in part.kvstores)
