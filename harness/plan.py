"""Scenario, seed and target to a plan, in which everything is decided. The same input gives the same bytes."""

from __future__ import annotations

import hashlib
import json
from typing import Annotated, Any

from pydantic import Field

from harness import checks, topologies
from harness.faults import Fault
from harness.scenario import models
from harness.scenario.load import LoadedScenario
from harness.scenario.schema import Amp, Expect, FaultEntry, Hybridize, Optimizer, Scenario, Target
from harness.strict import Strict
from harness.topologies import Role

VERSION = 1
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
    memory: str
    seed: int
    kvstore: str
    workers: int


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
    workload: Job
    schedule: tuple[Injection, ...]

    @property
    def workers(self) -> list[str]:
        """Names of the roles that train."""
        return [role.name for role in self.roles if role.is_worker]


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
    topology = topologies.find(scenario.topology)
    return Arm(
        name=name,
        env={**DEFAULT_ENV, **env},
        roles=topology.roles(scenario.topology),
        workload=_job(scenario),
        schedule=tuple(_injection(index, entry) for index, entry in enumerate(entries)),
    )


def _job(scenario: Scenario) -> Job:
    workload = scenario.workload
    facts = models.facts(workload.model)
    assert facts is not None
    shapes: Any = workload.shapes
    return Job(
        **workload.model_dump(exclude={"shapes", "hybridize"}),
        sizes=shapes.sizes(scenario.seed, workload.steps) if shapes else (facts.size,),
        hybridize=workload.hybridize or None,
        seed=scenario.seed,
        kvstore=scenario.topology.kvstore,
        workers=scenario.topology.workers,
    )


def _injection(index: int, entry: Any) -> Injection:
    select = entry.fault.select
    role = select.role if select.role == "scheduler" else f"{select.role}/{select.rank or 0}"
    clock = role if select.role == "worker" else "worker/0"
    return Injection(fault=index, role=role, clock=clock, entry=entry)
