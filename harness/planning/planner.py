"""Scenario, seed and target to a plan."""

from __future__ import annotations

import functools
import random
from collections.abc import Callable, Mapping, Sequence
from itertools import cycle, islice
from math import lcm
from operator import mul
from pathlib import Path
from statistics import fmean
from typing import Literal

from harness import checks, topologies
from harness.base import sources
from harness.faults import ChangesStart, DrawsSizes, Entry, LinkFault
from harness.gpu import visible
from harness.planning import twins
from harness.planning.bounds import bounds_of
from harness.planning.fault_schedule import ScheduledFault, expand
from harness.planning.network import Network, lay_out
from harness.planning.plan import Arm, Injection, Job, Plan, Script
from harness.scenario.load import LoadedScenario
from harness.scenario.schema import DATASETS, SEEDS, Checkpoint, Scenario, Target, Workload
from harness.shapes import Distribution, over
from harness.shapes.fixed import Fixed
from harness.topologies import Endpoint, Role, TopologySpec
from harness.vocabulary.filled_in import with_ports
from harness.vocabulary.instructions import INTERFACE
from harness.vocabulary.network_spec import PORT

DEFAULT_ENV = {"OMP_NUM_THREADS": "1"}
"""Results differ bit by bit with the number of OpenMP threads, so that it is pinned unless the scenario says."""


_LONGEST = 10_000
"""Pairs of heights and widths in a plan."""

_BATCH_SIZES, _WIDTHS = 2 * SEEDS, 3 * SEEDS
"""Added to a seed for streams beside that of sizes: no other seed has them, so that repeats share none."""


def make(loaded: LoadedScenario, targets: Mapping[str, Target], worker: str) -> Plan:
    """Decide everything. The first variant, or a control that a check names, is first; another control follows.

    ``targets`` are those of the arms that the scenario describes (`LoadedScenario.arms`), ``worker`` is the SHA-256 of
    the measured program.
    """
    scenario = loaded.scenario
    return Plan(
        scenario=loaded.name,
        title=scenario.title,
        seed=scenario.seed,
        worker=worker,
        harness=sources.digest(),
        startup_timeout=scenario.startup_timeout,
        stall_timeout=scenario.stall_timeout,
        arms=tuple(_arms(loaded, targets)),
        expect=scenario.expect,
    )


def _arms(loaded: LoadedScenario, targets: Mapping[str, Target]) -> list[Arm]:
    """Every arm once, then each again in an order drawn from the seed: so what the machine does meets all alike."""
    scenario, arms = loaded.scenario, list[Arm]()
    order = random.Random(scenario.seed)
    for repeat in range(1, scenario.repeats + 1):
        seeded = functools.partial(_seeded, step=(repeat - 1) % scenario.seeds)
        block = _block(loaded, targets, seeded)
        if repeat > 1:
            order.shuffle(block)
        arms += [arm if repeat == 1 else _again(arm, repeat) for arm in block]
    return twins.alike(arms)


def _seeded(scenario: Scenario, step: int) -> Scenario:
    return scenario.model_copy(update={"seed": (scenario.seed + step) % SEEDS})


def _again(arm: Arm, repeat: int) -> Arm:
    return arm.model_copy(update={"name": f"{arm.of}.{repeat}", "repeat": repeat})


def _block(loaded: LoadedScenario, targets: Mapping[str, Target], seeded: Callable[[Scenario], Scenario]) -> list[Arm]:
    """Every arm once."""
    scenario = loaded.scenario
    if loaded.variants:
        variants = loaded.variants.items()
        return [_arm(name, seeded(variant), variant.faults, targets[name]) for name, variant in variants]
    main = _arm(checks.MAIN, seeded(scenario), scenario.faults, targets[""])
    if not scenario.faults or not scenario.control:
        return [main]
    control = _arm(checks.CONTROL, seeded(scenario), [], targets[""])
    if any(check.baseline == checks.CONTROL for check in checks.given(scenario.expect)):
        return [control, main]
    if scenario.workload.script is not None and not scenario.workload.scratch:
        return [main]  # it would write over what the job has written
    alone = scenario.repeats == 1  # means over repeats are of as many steps each
    return [main, control.model_copy(update={"as_far_as": checks.MAIN}) if alone else control]


def _arm(name: str, scenario: Scenario, entries: Sequence[Entry], target: Target) -> Arm:
    roles, network = _placed(scenario.topology)
    schedule = _schedule(scenario, entries, network)
    bound = scenario.topology.bigarray_bound
    bounded = {} if bound is None else {topologies.BIGARRAY_BOUND: str(bound)}
    return Arm(
        name=name,
        of=name,
        repeat=1,
        turn=scenario.turns,
        quick_start=scenario.quick_start,
        target=target.model_copy(update={"env": {}}),
        env={**DEFAULT_ENV, **bounded, **_gpu_order(scenario.topology), **target.env},
        roles=tuple(_started_with(role, schedule) for role in roles),
        network=network,
        workload=_job(scenario),
        schedule=schedule,
    )


def _gpu_order(spec: TopologySpec) -> dict[str, str]:
    """So that ``gpu(0)`` is the one that NVML calls 0."""
    return {visible.ORDER: visible.BY_BUS} if visible.numbers(spec.contexts) else {}


def _started_with(role: Role, schedule: Sequence[Injection]) -> Role:
    """The role as faults on its start have it."""
    env: Mapping[str, str] = role.env
    for injection in schedule:
        if injection.subject == role.name and isinstance(injection.part, ChangesStart):
            env = injection.part.environment(env)
    return role.model_copy(update={"env": dict(env)})


def _placed(spec: TopologySpec) -> tuple[tuple[Role, ...], Network | None]:
    """Every role, on its host of the pocket cluster where there is one."""
    topology = topologies.find(spec)
    if spec.network is None:
        return topology.roles(spec, lambda _: topologies.LOOPBACK), None
    network = lay_out(spec.network, topology.names(spec))
    hosts = {role: host for host in network.hosts for role in host.roles}
    roles = topology.roles(spec, lambda role: Endpoint(hosts[role].name, hosts[role].address, INTERFACE))
    settled = (_settled(role, hosts[role.name].name, PORT + 1 + place) for place, role in enumerate(roles))
    return tuple(settled), network


def _settled(role: Role, host: str, own: int) -> Role:
    """On a host of a pocket cluster every port is free, so that it can be chosen now."""
    env = with_ports(role.env, str(PORT), str(own))
    return role.model_copy(update={"host": host, "env": env})


def _training(scenario: Scenario) -> Literal["gluon", "model_parallel", "oracle", "script"]:
    if scenario.workload.script is not None:
        return "script"
    return "model_parallel" if scenario.topology.parallelism == "model" else scenario.workload.training


def _job(scenario: Scenario) -> Job:
    workload, topology = scenario.workload, scenario.topology
    exchange = topologies.find(topology).exchange(topology)
    batch_sizes = _batch_sizes(scenario)
    sizes, widths, padding = _sizes(scenario)
    return Job(
        **workload.model_dump(
            exclude={
                "shapes",
                "widths",
                "hybridize",
                "training",
                "model",
                "script",
                "args",
                "folder",
                "scratch",
                "dataset",
                "checkpoint",
                "batch_size",
            }
        ),
        dataset=_dataset(workload),
        batch_size=None if workload.script is not None else round(fmean(batch_sizes)),
        batch_sizes=batch_sizes if len(set(batch_sizes)) > 1 else (),
        training=_training(scenario),
        model=workload.model or "",
        checkpoint=_checkpoint(workload),
        script=_script(workload, {"{seed}": str(scenario.seed), "{kvstore}": topology.kvstore}),
        sizes=sizes,
        widths=widths,
        padding=padding,
        hybridize=workload.hybridize or None,
        seed=scenario.seed,
        loop=exchange.loop,
        kvstore=topology.kvstore,
        workers=exchange.workers,
        contexts=tuple(topology.contexts),
        update_on_kvstore=topology.update_on_kvstore,
        compression=topology.compression,
        horovod_compression=exchange.horovod_compression,
    )


def _sizes(scenario: Scenario) -> tuple[tuple[int, ...], tuple[int, ...], float]:
    """Sizes, or heights and as many widths, drawn by themselves; and how much of them is padding."""
    workload, seed, steps = scenario.workload, scenario.seed, scenario.workload.steps or 1
    shapes: Distribution = workload.shapes or Fixed(distribution="fixed", value=workload.facts.size)
    if workload.widths is None:
        is_square = workload.script is None and workload.facts.input == "image"
        return shapes.sizes(seed, steps), (), shapes.padding(seed, steps, 2 if is_square else 1)
    drawn = shapes.drawn(seed, steps), workload.widths.drawn(seed + _WIDTHS, steps)
    together = min(lcm(*map(len, drawn)), max(min(steps, _LONGEST), *map(len, drawn)))  # then both begin anew
    high, wide = (tuple(islice(cycle(each), together)) for each in drawn)
    heights, widths = tuple(map(shapes.padded, high)), tuple(map(workload.widths.padded, wide))
    own, padded = (over(tuple(map(mul, *each)), steps) for each in ((high, wide), (heights, widths)))
    return heights, widths, 1 - own / padded


def _batch_sizes(scenario: Scenario) -> tuple[int, ...]:
    """Of each step, drawn by themselves."""
    asked = scenario.workload.batch_size
    if isinstance(asked, Distribution):
        return asked.sizes(scenario.seed + _BATCH_SIZES, scenario.workload.steps or 1)
    return (asked,)


def _dataset(workload: Workload) -> str:
    facts = workload.facts
    return "its own batches" if facts.own_batches else workload.dataset or DATASETS[facts.input][0]


def _checkpoint(workload: Workload) -> Checkpoint | None:
    """A script's by their absolute path."""
    found = workload.checkpoint
    if found is None or found.files is None:
        return found
    assert workload.script is not None
    return found.model_copy(update={"files": str(_folder(workload.script, workload.folder) / found.files)})


def _folder(script: str, folder: str | None) -> Path:
    """That a script runs in."""
    return Path(folder) if folder is not None else Path(script).parent


def _script(workload: Workload, words: Mapping[str, str]) -> Script | None:
    """With what the scenario says in the place of words, where its arguments ask for them."""
    if workload.script is None:
        return None
    return Script(
        path=workload.script,
        args=tuple(_said(text, words) for text in workload.args),
        folder=str(_folder(workload.script, workload.folder)),
        scratch=workload.scratch,
    )


def _said(text: str, words: Mapping[str, str]) -> str:
    for word, value in words.items():
        text = text.replace(word, value)
    return text


def _schedule(scenario: Scenario, entries: Sequence[Entry], network: Network | None) -> tuple[Injection, ...]:
    schedule = expand(entries, bounds_of(scenario))
    return tuple(_injection(number, fault, network, scenario) for number, fault in enumerate(schedule))


def _injection(number: int, scheduled: ScheduledFault, network: Network | None, scenario: Scenario) -> Injection:
    """The clock of a fault on a link is a worker of that host."""
    fault = scheduled.fault
    there: tuple[str, ...] = (scheduled.subject,)
    if isinstance(fault, LinkFault):
        assert network is not None
        there = network.named(scheduled.subject).roles
    return Injection(
        fault=number,
        subject=scheduled.subject,
        clock=next((name for name in there if name.startswith("worker/")), "worker/0"),
        entry=scheduled.entry,
        sizes=fault.sizes(scenario.seed + 1, scenario.workload.steps or 1) if isinstance(fault, DrawsSizes) else (),
    )
