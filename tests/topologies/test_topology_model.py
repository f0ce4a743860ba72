"""A topology may bring settings of its own: giving them asks for it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import ClassVar

import pytest

from harness import topologies
from harness.base.errors import RegistryError
from harness.base.strict import Strict
from harness.topologies import Endpoint, Role, Topology, TopologySpec, ranked
from harness.vocabulary.job_bounds import Refusal


class RingSpec(Strict):
    """A ring of workers."""

    size: int


class Ring(Topology):
    """Workers in a ring."""

    name: ClassVar[str] = "ring"
    settings: ClassVar[type[Strict] | None] = RingSpec

    @staticmethod
    def names(spec: TopologySpec) -> tuple[str, ...]:
        return ranked("worker", spec.ring.size)  # type: ignore[attr-defined]

    @staticmethod
    def roles(spec: TopologySpec, endpoint: Callable[[str], Endpoint]) -> tuple[Role, ...]:
        return tuple(Role(name=name) for name in Ring.names(spec))

    @staticmethod
    def refusals(spec: TopologySpec) -> Iterator[Refusal]:
        yield from ()


def _with(monkeypatch: pytest.MonkeyPatch, **parts: type[Topology]) -> type[TopologySpec]:
    known = {**topologies.all_topologies(), **parts}
    monkeypatch.setattr(topologies, "all_topologies", lambda: known)
    return topologies.topology_model()


def test_its_settings_are_a_field_and_choose_it(monkeypatch: pytest.MonkeyPatch) -> None:
    model = _with(monkeypatch, ring=Ring)
    spec = model.model_validate({"ring": {"size": 3}})
    assert topologies.find(spec) is Ring
    assert Ring.names(spec) == ("worker/0", "worker/1", "worker/2")
    assert topologies.find(model.model_validate({})).name == "single"


def test_two_at_once_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    spec = _with(monkeypatch, ring=Ring).model_validate({"ring": {"size": 3}, "horovod": {"ranks": 2}})
    assert (("ring",), "a job has one topology; give one of horovod, ring") in list(topologies.refusals(spec))


def test_a_name_that_is_a_field_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(RegistryError, match=r"topology\.network is a field already"):
        _with(monkeypatch, network=Ring)
