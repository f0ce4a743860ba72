"""Scenario, seed and target to a plan, in which everything is decided. The same input gives the same bytes."""

from __future__ import annotations

import hashlib
import json
from typing import Annotated, Any, Literal

from pydantic import Field

from harness import checks, topologies
from harness.expansion import Decided, expand, ground
from harness.faults import Fault, LinkFault, StartFault, WorkerFault
from harness.instructions import INTERFACE
from harness.network import PORT, Network, lay_out
from harness.scenario import models
from harness.scenario.load import LoadedScenario
from harness.scenario.schema import Amp, Checkpoint, Expect, FaultEntry, Hybridize, Optimizer, Scenario, Target
from harness.strict import Strict
from harness.topologies import Compression, Place, Role, TopologySpec

VERSION = 3
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
    gradients: str
    checkpoint: Checkpoint | None
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
    """One fault on one role or host, everything decided.

    ``clock`` is the worker whose steps trigger it; times count
    from the first step. ``sizes``: those of each step while it lasts, where it changes them.
    """

    fault: int
    role: str
    clock: str
    entry: FaultEntry
    sizes: tuple[int, ...] = ()

    @property
    def part(self) -> Fault:
        """The fault with its parameters."""
        found: Fault = self.entry.fault
        return found

    @property
    def first_step(self) -> int | None:
        """The step before which it starts, unless the clock or an event decides."""
        return self.part.at.step if self.part.at else None

    @property
    def begins_at(self) -> float | None:
        """Seconds after the first step, where the clock decides."""
        return self.part.at.time if self.part.at else None

    @property
    def awaits(self) -> tuple[str, str] | None:
        """The event that starts it and the role that it is of."""
        at = self.part.at
        return None if at is None or at.event is None else (at.event, at.of or self.role)

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
    schedule = _schedule(scenario, entries, network)
    bound = scenario.topology.bigarray_bound
    bounded = {} if bound is None else {topologies.BIGARRAY_BOUND: str(bound)}
    return Arm(
        name=name,
        env={**DEFAULT_ENV, **bounded, **env},
        roles=tuple(_started_with(role, schedule) for role in roles),
        network=network,
        workload=_job(scenario),
        schedule=schedule,
    )


def _started_with(role: Role, schedule: tuple[Injection, ...]) -> Role:
    """The role as faults on its start have it."""
    env = role.env
    for injection in schedule:
        if injection.role == role.name and isinstance(injection.part, StartFault):
            env = dict(injection.part.environment(role.name, env))
    return role.model_copy(update={"env": env})


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


def _schedule(scenario: Scenario, entries: list[Any], network: Network | None) -> tuple[Injection, ...]:
    decided = expand(entries, ground(scenario))
    return tuple(_injection(number, one, network, scenario) for number, one in enumerate(decided))


def _injection(number: int, one: Decided, network: Network | None, scenario: Scenario) -> Injection:
    """The clock of a fault on a link is a worker of that host."""
    fault = one.entry.fault
    there: tuple[str, ...] = (one.target,)
    if isinstance(fault, LinkFault):
        assert network is not None
        there = network.named(one.target).roles
    return Injection(
        fault=number,
        role=one.target,
        clock=next((name for name in there if name.startswith("worker/")), "worker/0"),
        entry=one.entry,
        sizes=fault.sizes(scenario.seed + 1, scenario.workload.steps) if isinstance(fault, WorkerFault) else (),
    )
