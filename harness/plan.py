"""Scenario, seed and target to a plan, in which everything is decided. The same input gives the same bytes."""

from __future__ import annotations

import hashlib
import json
from typing import Annotated, Any, Literal

from pydantic import Field

from harness import checks, topologies
from harness.faults import Fault, LinkFault, process_of
from harness.instructions import INTERFACE
from harness.network import PORT, Network, lay_out
from harness.scenario import models
from harness.scenario.load import LoadedScenario
from harness.scenario.schema import Amp, Expect, FaultEntry, Hybridize, Optimizer, Scenario, Target
from harness.strict import Strict
from harness.topologies import Compression, Place, Role, TopologySpec

VERSION = 2
DEFAULT_ENV = {"OMP_NUM_THREADS": "1"}
"""Results differ bit by bit with the number of OpenMP threads, so that it is pinned unless the scenario says."""


class Job(Strict):
    """The worker's part of a plan (`harness/worker/job.py` reads it): a workload with every size drawn."""

    model: str
    dataset: str
    batch_size: int
    sizes: tuple[int, ...]
    hybridize: Hybridize | None
    optimizer: Optimizer
    amp: Amp | None
    steps: int
    warmup: int
    window: int
    sync_every: int
    phases: bool
    memory: str
    seed: int
    loop: Literal["trainer", "push_pull", "horovod", "executor"]
    kvstore: str
    workers: int
    contexts: tuple[str, ...]
    update_on_kvstore: bool | None
    compression: Compression | None
    horovod_compression: str


class Injection(Strict):
    """One fault on one role. ``clock`` is the worker whose steps trigger it; times count from the first step."""

    fault: int
    role: str
    clock: str
    entry: FaultEntry

    @property
    def part(self) -> Fault:
        """The fault with its parameters."""
        found: Fault = self.entry.fault
        return found

    @property
    def first_step(self) -> int | None:
        """The step before which it starts, unless the clock decides."""
        return self.part.at.step

    @property
    def last_step(self) -> int | None:
        """The step before which it ends, where steps decide that."""
        steps = getattr(self.part.duration, "steps", None)
        return None if steps is None or self.first_step is None else self.first_step + steps


class Arm(Strict):
    """One job of a run: the scenario itself, one of its variants, or the control."""

    name: str
    env: dict[str, str]
    roles: tuple[Role, ...]
    network: Network | None
    workload: Job
    schedule: tuple[Injection, ...]

    @property
    def workers(self) -> list[str]:
        """Names of the roles that train."""
        return [role.name for role in self.roles if role.is_worker]

    @property
    def synchronous(self) -> bool:
        """Whether no worker can take a step without the others."""
        return len(self.workers) > 1 and self.workload.kvstore != "dist_async"


class Plan(Strict):
    """Everything that is decided before a run. ``expect`` is judged later and can be judged again."""

    version: Annotated[int, Field(ge=VERSION, le=VERSION)] = VERSION
    scenario: str
    title: str
    seed: int
    target: Target
    worker: str = Field(description="SHA-256 of the worker archive")
    startup_timeout: float
    stall_timeout: float
    arms: tuple[Arm, ...]
    expect: Expect

    def text(self) -> str:
        """The plan as JSON: sorted keys, one form only."""
        return json.dumps(self.model_dump(mode="json", exclude_none=False), indent=1, sort_keys=True) + "\n"

    @property
    def hash(self) -> str:
        """SHA-256 of `text`."""
        return hashlib.sha256(self.text().encode()).hexdigest()

    def arm(self, name: str) -> Arm:
        """The arm of that name."""
        return next(arm for arm in self.arms if arm.name == name)


def make(loaded: LoadedScenario, target: Target, worker: str) -> Plan:
    """Decide everything. The control, or the first variant, comes first."""
    scenario = loaded.scenario
    return Plan(
        scenario=loaded.name,
        title=scenario.title,
        seed=scenario.seed,
        target=target,
        worker=worker,
        startup_timeout=scenario.startup_timeout,
        stall_timeout=scenario.stall_timeout,
        arms=tuple(_arms(loaded, target.env)),
        expect=scenario.expect,
    )


def _arms(loaded: LoadedScenario, env: dict[str, str]) -> list[Arm]:
    """``env`` is the target's; what a variant changes comes before it."""
    scenario = loaded.scenario
    if loaded.variants:
        return [
            _arm(name, variant, variant.faults, {**env, **_changed(scenario.target.env, variant.target.env)})
            for name, variant in loaded.variants.items()
        ]
    arms = [_arm(checks.MAIN, scenario, scenario.faults, env)]
    if any(check.baseline == checks.CONTROL for check in checks.given(scenario.expect)):
        arms.insert(0, _arm(checks.CONTROL, scenario, [], env))
    return arms


def _changed(before: dict[str, str], after: dict[str, str]) -> dict[str, str]:
    return {name: value for name, value in after.items() if before.get(name) != value}


def _arm(name: str, scenario: Scenario, entries: list[Any], env: dict[str, str]) -> Arm:
    roles, network = _placed(scenario.topology)
    bound = scenario.topology.bigarray_bound
    bounded = {} if bound is None else {topologies.BIGARRAY_BOUND: str(bound)}
    return Arm(
        name=name,
        env={**DEFAULT_ENV, **bounded, **env},
        roles=roles,
        network=network,
        workload=_job(scenario),
        schedule=tuple(_injection(index, entry, network) for index, entry in enumerate(entries)),
    )


def _placed(spec: TopologySpec) -> tuple[tuple[Role, ...], Network | None]:
    """Every role, on its host of the pocket cluster where there is one."""
    topology = topologies.find(spec)
    if spec.network is None:
        return topology.roles(spec, lambda _: topologies.LOOPBACK), None
    network = lay_out(spec.network, topology.names(spec))
    hosts = {role: host for host in network.hosts for role in host.roles}
    roles = topology.roles(spec, lambda role: Place(hosts[role].name, hosts[role].address, INTERFACE))
    return tuple(_settled(role, hosts[role.name].name) for role in roles), network


def _settled(role: Role, host: str) -> Role:
    """On a host of a pocket cluster every port is free, so that it can be chosen now."""
    env = {name: value.replace("{port}", str(PORT)) for name, value in role.env.items()}
    return role.model_copy(update={"host": host, "env": env})


def _loop(spec: TopologySpec) -> Literal["trainer", "push_pull", "horovod", "executor"]:
    if spec.horovod is not None:
        return "horovod"
    return "executor" if spec.parallelism == "model" else spec.loop


def _job(scenario: Scenario) -> Job:
    workload, topology = scenario.workload, scenario.topology
    facts = models.facts(workload.model)
    assert facts is not None
    shapes: Any = workload.shapes
    return Job(
        **workload.model_dump(exclude={"shapes", "hybridize"}),
        sizes=shapes.sizes(scenario.seed, workload.steps) if shapes else (facts.size,),
        hybridize=workload.hybridize or None,
        seed=scenario.seed,
        loop=_loop(topology),
        kvstore=topology.kvstore,
        workers=topology.trainers,
        contexts=tuple(topology.contexts),
        update_on_kvstore=topology.update_on_kvstore,
        compression=topology.compression,
        horovod_compression=topology.horovod.compression if topology.horovod else "none",
    )


def _injection(index: int, entry: Any, network: Network | None) -> Injection:
    """A fault on a link acts on a host, and the host's worker is its clock."""
    select = entry.fault.select
    role = process_of(select)
    there: tuple[str, ...] = (role,)
    if isinstance(entry.fault, LinkFault):
        assert network is not None
        host = network.host_of(role) if role else network.named(select.host)
        role, there = host.name, host.roles
    clock = next((one for one in there if one.startswith("worker/")), "worker/0")
    return Injection(fault=index, role=role, clock=clock, entry=entry)
